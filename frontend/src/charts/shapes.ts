/** The geometry of the charts: scales, paths, orders. */

import type { Direction } from "../api/generated/types.ts";

export type Interval = readonly [low: number, high: number];
export type Point = readonly [x: number, y: number];

/** Return the linear function from a domain to a range. A domain without width maps to the middle. */
export function scaleLinear([low, high]: Interval, [from, to]: Interval): (value: number) => number {
  // Divided first: the largest numbers have a difference that is infinite.
  const span = high / 2 - low / 2;
  return (value) => (span === 0 ? (from + to) / 2 : from + ((value / 2 - low / 2) / span) * (to - from));
}

/** Return an interval that is wider by a share on both sides; around its value if it has no width. */
export function widen([low, high]: Interval, share: number): Interval {
  const room = high > low ? (high - low) * share : Math.abs(high) * share || 1;
  return [low - room, high + room];
}

/** Return the path of a line that goes level to the next point and then up or down to it. */
export function stepPath(points: readonly Point[], endX: number): string {
  const [first, ...others] = points;
  if (!first) return "";
  return `M${round(first[0])} ${round(first[1])}${others.map(([x, y]) => `H${round(x)}V${round(y)}`).join("")}H${round(endX)}`;
}

/** Return the path of a line that leaves and reaches each point level. */
export const levelPath = (points: readonly Point[]): string =>
  points
    .map(([x, y], index) => {
      const [before, level] = points[index - 1] ?? [x, y];
      const middle = round((before + x) / 2);
      return index === 0
        ? `M${round(x)} ${round(y)}`
        : `C${middle} ${round(level)} ${middle} ${round(y)} ${round(x)} ${round(y)}`;
    })
    .join("");

/** An order of players from a time on: their indices, the first of them first. */
export interface Standing {
  readonly at: number;
  readonly order: readonly number[];
}

/**
 * Return the orders in which players have stood among each other, oldest first; null if they do not end as they stand.
 *
 * @param courses Of each player, in the order of today, when it got better and what its value was then.
 */
export function replayOrders(courses: readonly (readonly Point[])[], direction: Direction): readonly Standing[] | null {
  const sign = direction === "higher" ? -1 : 1;
  const values = new Map<number, number>();
  const standings: Standing[] = [];
  const steps = courses.flatMap((points, index) => points.map(([at, value]) => ({ at, value, index })));
  for (const { at, value, index } of steps.sort((a, b) => a.at - b.at)) {
    values.set(index, value);
    const order = [...values].sort(([a, x], [b, y]) => sign * (x - y) || a - b).map(([each]) => each);
    if (String(order) !== String(standings.at(-1)?.order)) standings.push({ at, order });
  }
  return String(standings.at(-1)?.order) === String([...courses.keys()]) ? standings : null;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
