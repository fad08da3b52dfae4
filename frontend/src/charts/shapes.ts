/** The geometry of the charts: scales, ticks, paths, Pareto fronts, bins. */

import type { Direction, Histogram, Metric } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { formatScore, formatWithUnit } from "../ui/lib/format.ts";

export type Interval = readonly [low: number, high: number];
export type Point = readonly [x: number, y: number];

/** Return the linear function from a domain to a range. A domain without width maps to the middle. */
export function scaleLinear([low, high]: Interval, [from, to]: Interval): (value: number) => number {
  // Divided first: the largest numbers have a difference that is infinite.
  const span = high / 2 - low / 2;
  return (value) => (span === 0 ? (from + to) / 2 : from + ((value / 2 - low / 2) / span) * (to - from));
}

/** Return about `about` round values within an interval. */
export function makeTicks([low, high]: Interval, about: number): readonly number[] {
  if (!(high > low)) return [low];
  const rough = high / Math.max(1, about) - low / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks: number[] = [];
  const first = Math.ceil(low / step - 1e-9);
  // As many as there is room for: beside a large number, one more is the same number.
  for (let index = 0; index <= about + 1 && first + index <= high / step + 1e-9; index++) {
    const tick = Number(((first + index) * step).toPrecision(12));
    if (tick !== ticks.at(-1)) ticks.push(tick);
  }
  // A single tick shows no scale.
  return ticks.length < 2 && about < 32 ? makeTicks([low, high], about * 2) : ticks;
}

/** Return an interval that is wider by a share on both sides; around its value if it has no width. */
export function widen([low, high]: Interval, share = 0.04): Interval {
  const room = high > low ? (high - low) * share : Math.abs(high) * share || 1;
  return [low - room, high + room];
}

/** Return an interval around the same middle that is at least a share of its values wide: small differences stay small. */
export function atLeast([low, high]: Interval, share = 0.05): Interval {
  const room = Math.max(0, Math.max(Math.abs(low), Math.abs(high)) * share - (high - low)) / 2;
  return [low - room, high + room];
}

const CHARACTER_PIXELS = 6.8;
const LABEL_PIXELS = 13;

/** A text beside a point. */
export interface Label {
  readonly index: number;
  readonly x: number;
  readonly anchor: "start" | "end";
}

/** Return the labels that fit beside points, in pixels, without covering each other; the first points come first. */
export function placeLabels(points: readonly Point[], texts: readonly string[], right: number): readonly Label[] {
  const taken: (readonly [left: number, right: number, y: number])[] = [];
  return points.flatMap(([x, y], index): readonly Label[] => {
    const width = (texts[index] ?? "").length * CHARACTER_PIXELS + 9;
    const anchor = x + width > right ? "end" : "start";
    const left = anchor === "start" ? x : x - width;
    if (taken.some(([from, to, at]) => left < to && left + width > from && Math.abs(at - y) < LABEL_PIXELS)) return [];
    taken.push([left, left + width, y]);
    return [{ index, x: anchor === "start" ? x + 9 : x - 9, anchor }];
  });
}

/** Return the lowest and the highest value; [0, 1] if there are none. */
export function extentOf(values: readonly number[]): Interval {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Return the indices of the points that no other point beats in both, from the best x to the best y. */
export function findFront(points: readonly Point[], xBest: Direction, yBest: Direction): readonly number[] {
  const xSign = xBest === "higher" ? -1 : 1;
  const ySign = yBest === "higher" ? -1 : 1;
  const at = (index: number): Point => points[index] ?? [0, 0];
  const order = points.map((_, index) => index);
  order.sort((a, b) => xSign * (at(a)[0] - at(b)[0]) || ySign * (at(a)[1] - at(b)[1]));
  let best = Infinity;
  return order.filter((index) => {
    const y = ySign * at(index)[1];
    if (y >= best) return false;
    best = y;
    return true;
  });
}

/** Return the path of a line that goes level to the next point and then up or down to it. */
export function stepPath(points: readonly Point[], endX: number): string {
  const [first, ...others] = points;
  if (!first) return "";
  return `M${round(first[0])} ${round(first[1])}${others.map(([x, y]) => `H${round(x)}V${round(y)}`).join("")}H${round(endX)}`;
}

/** Return the path of straight lines through points. */
export const linePath = (points: readonly Point[]): string =>
  points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");

/** Return the position of a value between the worst (0) and the best (1); 1 if all values are equal. */
export function shareOf(value: number, [low, high]: Interval, best: Direction): number {
  if (high === low) return 1;
  const share = (value - low) / (high - low);
  return best === "higher" ? share : 1 - share;
}

/** Return the bins of a histogram with their bounds. */
export function listBins({ min, max, counts }: Histogram) {
  // Not by the width, which no number can hold if the bounds are the largest there are.
  const boundAt = (index: number) => min * (1 - index / counts.length) + max * (index / counts.length);
  return counts.map((count, index) => ({ from: boundAt(index), to: boundAt(index + 1), count }));
}

/** Return one sentence about the distribution. */
export function describeHistogram(histogram: Histogram, metric: Metric): string {
  const bins = listBins(histogram);
  const total = histogram.counts.reduce((sum, count) => sum + count, 0);
  const fullest = bins.reduce(
    (best, bin) => (bin.count > best.count ? bin : best),
    bins[0] ?? { from: 0, to: 0, count: 0 },
  );
  if (histogram.min === histogram.max) {
    const value = formatWithUnit(histogram.min, metric);
    return say("{count} player has {value}.|{count} players all have {value}.", { count: total, value });
  }
  return say("{total} players from {min} to {max}; the largest group, {count}, is between {from} and {to}.", {
    total,
    min: formatScore(histogram.min, metric),
    max: formatWithUnit(histogram.max, metric),
    count: fullest.count,
    from: formatScore(fullest.from, metric),
    to: formatWithUnit(fullest.to, metric),
  });
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
