/** The sign and the colour of a player, from the id: the same wherever the player is shown, and nothing is stored. */

import { hash32 } from "./hash.ts";

type Point = readonly [x: number, y: number];
/** Commands of an SVG path, and points, which turn with their arm, in a box from -12 to 12. */
type Arm = readonly (string | Point)[];

/** Hue in degrees and lightness of OKLCH: of dark tiles, whose signs are light, and of light ones. */
const HUES = [255, 70, 300, 165, 25, 225, 350, 135];
const LIGHTNESSES = [0.5, 0.78, 0.47, 0.76, 0.54, 0.78, 0.76, 0.47];
/** How many arms. Three would make the sign for radiation. */
const ARMS = [4, 5, 6, 8];
const WIDTHS = [1.12, 0.95, 0.8, 0.64];
/** The radii of a hole in the middle and of a dot in it; 0 where there is none. */
const HOLES = [0, 0, 3.1, 3.4];
const DOTS = [0, 2.2, 0, 1.7];

const circle = (y: number, r: number): Arm => {
  const arc = `A${r} ${r} 0 0 1`;
  return ["M", [0, y - r], arc, [0, y + r], arc, [0, y - r]];
};

/** Shape → its upright arm, by its width and how many arms there are. */
const SHAPES: readonly ((k: number, count: number) => Arm)[] = [
  (k) => ["M", [0, -9.6], "Q", [4.3 * k, -5.6], [0, -1.8], "Q", [-4.3 * k, -5.6], [0, -9.6]],
  (k) => circle(-6.5, 2.5 * k),
  (k, count) =>
    count > 4
      ? ["M", [-1.5 * k, -9.3], "L", [1.5 * k, -9.3], [1.5 * k, -2.4], [-1.5 * k, -2.4], "Z"]
      : [...circle(-6.2, 3 * k), ...circle(-6.2, 1.35 * k)], // four bars would be a cross
  (k) => ["M", [-3.3 * k, -8.2], "L", [3.3 * k, -8.2], `A${3.3 * k} ${3.3 * k} 0 0 1`, [-3.3 * k, -8.2], "Z"],
  (_, count) => {
    const [x, y] = [Math.sin((0.74 * Math.PI) / count), -Math.cos((0.74 * Math.PI) / count)];
    const [out, back] = ["A9.4 9.4 0 0 1", "A5.6 5.6 0 0 0"];
    return ["M", [-9.4 * x, 9.4 * y], out, [9.4 * x, 9.4 * y], "L", [5.6 * x, 5.6 * y], back, [-5.6 * x, 5.6 * y], "Z"];
  },
  (k) => ["M", [0, -9.7], "L", [2.9 * k, -6.6], [0, -1.2], [-2.9 * k, -6.6], "Z"],
];

/** Return the colour and the sign of a player: its arms are a path that is filled by the rule `evenodd`. */
export function makeSign(player: string) {
  let hash = hash32(player);
  const take = (count: number): number => {
    const value = hash % count;
    hash = Math.floor(hash / count);
    return value;
  };
  const colour = take(8);
  const [drawn, shape, core] = [take(4), take(6), take(4)];
  const arms = drawn === 0 && shape > 2 ? 1 : drawn;
  const [count = 0, width = 0] = [ARMS[arms], WIDTHS[arms]];
  const step = (2 * Math.PI) / count;
  const start = take(2) * (step / 2);
  // A dot between two arms, where there is room.
  const hasBeads = take(2) === 1 && count < 6 && [0, 2, 5].includes(shape);
  const path = Array.from({ length: count }, (_, arm) => {
    const angle = start + arm * step;
    return turn(SHAPES[shape]?.(width, count), angle) + turn(hasBeads ? circle(-8.9, 1.15) : [], angle + step / 2);
  }).join("");
  return { path, hue: HUES[colour], lightness: LIGHTNESSES[colour] ?? 0, hole: HOLES[core], dot: DOTS[core] };
}

const turn = (arm: Arm = [], angle: number): string => {
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const place = ([x, y]: Point): string => `${(x * cos - y * sin).toFixed(2)} ${(x * sin + y * cos).toFixed(2)} `;
  return arm.map((each) => (typeof each === "string" ? `${each} ` : place(each))).join("");
};
