/** Icons. A text beside each says the same, so they are hidden from screen readers. */

import { useEffect, useState } from "preact/hooks";

import type { Faced } from "./face.tsx";
import { hueOf } from "./lib/hash.ts";

/** A corner of the rosette of the first: twenty, by turns on two circles. */
const cornerOf = (_: unknown, index: number): string => {
  const [radius, angle] = [index % 2 ? 11 : 13.4, (index * Math.PI) / 10];
  return `${14 + radius * Math.sin(angle)} ${15 - radius * Math.cos(angle)}`;
};
const MEDALS = ["", "var(--gold)", "var(--silver)", "var(--bronze)"];
const MEDAL_SHAPES: Readonly<Record<number, string>> = {
  1: `M${Array.from({ length: 20 }, cornerOf).join("L")}z`,
  2: "M14 2l11.3 6.5v13L14 28 2.7 21.5v-13z",
  3: "M14 2.5a12.5 12.5 0 1 1 0 25 12.5 12.5 0 1 1 0-25z",
};

/** A medal with its rank. Each has its own shape, so that they differ not only by colour. */
export const Medal = ({ rank, tied = false }: { readonly rank: number; readonly tied?: boolean }) => (
  <svg class="medal" viewBox="0 0 28 30" width="26" height="28" aria-hidden="true">
    <path style={{ fill: MEDALS[rank] }} d={MEDAL_SHAPES[rank] ?? ""} />
    <text x="14" y="19.8" text-anchor="middle" font-size={tied ? 13 : 14}>
      {tied ? `=${rank}` : rank}
    </text>
  </svg>
);

export const Caret = ({ direction }: { readonly direction: "up" | "down" }) => (
  <svg class="caret" viewBox="0 0 10 6" width="9" height="6" aria-hidden="true">
    <path d={direction === "up" ? "M5 0l4.5 5.5h-9z" : "M5 6L.5.5h9z"} />
  </svg>
);

// The shape of an icon of the first view. Another has its shape where it is used.
export const SEARCH = "M7 2a5 5 0 1 1 0 10A5 5 0 0 1 7 2zM11 11l4 4";

export const Icon = ({ shape }: { readonly shape: string }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={shape} />
  </svg>
);

let drawing: typeof import("./face.tsx") | null = null;
const loadDrawing = async (): Promise<number> => {
  drawing = await import("./face.tsx");
  return 1;
};

/** Return what draws faces and signs; null until it is loaded. */
function useDrawing() {
  const [, redraw] = useState(0);
  // What was drawn without it is drawn again, also if it came between the drawing and the effect.
  const drawn = drawing;
  useEffect(() => void (drawn ?? loadDrawing().then(redraw, () => {})), []);
  return drawing;
}

/** The face of a player, `size` pixels wide; its place is empty until it is loaded. */
export const Face = ({ size = 28, ...faced }: Faced & { readonly size?: number }) => (
  <svg class="face" width={size} height={size} viewBox="-12 -12 24 24" aria-hidden="true">
    {useDrawing()?.drawFace(faced)}
  </svg>
);

/** The sign of a board, `size` pixels wide; the square is empty until it is loaded. */
export const Sign = ({ board, size = 44 }: { readonly board: string; readonly size?: number }) => (
  <svg class="sign" style={{ "--h": hueOf(board) }} width={size} height={size} viewBox="-3 -3 30 30" aria-hidden="true">
    {useDrawing()?.drawSign(board)}
  </svg>
);
