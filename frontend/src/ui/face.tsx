/** Faces and signs, which are loaded after the text. A face is round for a human, square for a model, hollow for a guest. */

import type { PlayerKind } from "../api/generated/types.ts";
import { hash32 } from "./lib/hash.ts";
import { makeSign } from "./lib/sign.ts";

export interface Faced {
  /** The player's id. */
  readonly player: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
}

export function drawFace({ player, kind, verified }: Faced) {
  const { path, hue, lightness, hole, dot } = makeSign(player);
  const ring = `light-dark(oklch(0.53 0.135 ${hue}), oklch(0.77 0.125 ${hue}))`;
  const ink = !verified ? ring : lightness < 0.6 ? "#fff" : "#0e1b15";
  const tile = { fill: verified ? `oklch(${lightness} 0.135 ${hue})` : "var(--surface)" };
  const frame = { ...tile, stroke: ink, strokeWidth: verified ? 0 : 1.7 };
  return (
    <g style={{ fill: ink }}>
      <rect x="-11" y="-11" width="22" height="22" rx={kind === "model" ? 5.5 : 11} style={frame} />
      <path fill-rule="evenodd" d={path} />
      <circle r={hole} style={tile} />
      <circle r={dot} />
    </g>
  );
}

/** What a quarter of a board's sign is: quarter discs, triangles, a dot, a square, a half disc. */
const QUARTERS = [
  "M0 0H12A12 12 0 0 1 0 12Z",
  "M12 0V12A12 12 0 0 1 0 0Z",
  "M12 12H0A12 12 0 0 1 12 0Z",
  "M0 12V0A12 12 0 0 1 12 12Z",
  "M0 0L12 12H0Z",
  "M12 0V12H0Z",
  "M6 1.5A4.5 4.5 0 1 1 5.99 1.5Z",
  "M0 0H6A6 6 0 0 1 6 12H0Z",
];

/** Draw the sign of a board: four quarters, by its id. */
export const drawSign = (board: string) =>
  [1, 0.62, 0.62, 1].map((opacity, at) => (
    <path
      key={at}
      transform={`translate(${(at % 2) * 12} ${at > 1 ? 12 : 0})`}
      opacity={opacity}
      d={QUARTERS[(hash32(board) >>> (3 + 3 * at)) % 8]}
    />
  ));
