/** A player's face, which is loaded after the text: round for a human, square for a model, hollow for a guest. */

import type { PlayerKind } from "../api/generated/types.ts";
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
