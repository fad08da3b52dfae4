/** Icons. A text beside each says the same, so they are hidden from screen readers. */

const MEDAL_SHAPES: Readonly<Record<number, string>> = {
  1: "M14 1.6L17.4 4.5L21.9 4.2L22.9 8.5L26.7 10.9L25 15.0L26.7 19.1L22.9 21.5L21.9 25.8L17.4 25.5L14 28.4L10.6 25.5L6.1 25.8L5.1 21.5L1.3 19.1L3 15.0L1.3 10.9L5.1 8.5L6.1 4.2L10.6 4.5z",
  2: "M14 2l11.3 6.5v13L14 28 2.7 21.5v-13z",
  3: "M14 2.5a12.5 12.5 0 1 1 0 25 12.5 12.5 0 1 1 0-25z",
};

/** A medal with its rank. Each has its own shape, so that they differ not only by colour. */
export const Medal = ({ rank, tied = false }: { readonly rank: number; readonly tied?: boolean }) => (
  <svg class="medal" viewBox="0 0 28 30" width="26" height="28" aria-hidden="true">
    <path style={{ fill: `var(--medal-${rank})` }} d={MEDAL_SHAPES[rank] ?? ""} />
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

const STROKES: Readonly<Record<string, string>> = {
  search: "M7 2a5 5 0 1 1 0 10A5 5 0 0 1 7 2zM11 11l4 4",
  copy: "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11",
  check: "M2.5 8.5l3.5 3.5 7.5-8",
  close: "M4 4l8 8M12 4l-8 8",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
  upload: "M8 10.5V2.5M4.5 6L8 2.5 11.5 6M2.5 13.5h11",
  person: "M8 2.5a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2zM3 13.5c.5-3 2.3-4.3 5-4.3s4.5 1.3 5 4.3",
  chip: "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
};

export const Icon = ({ name }: { readonly name: keyof typeof STROKES & string }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={STROKES[name] ?? ""} />
  </svg>
);
