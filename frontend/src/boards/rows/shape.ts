/** How far rows are behind the first, by what is ranked first, and how long their bars are. */

import { MAX_DECIMALS } from "../../../../sdk/numbers.js";
import type { Head, Metric, Rows } from "../../api/generated/types.ts";
import { formatScore } from "../../ui/lib/format.ts";

export interface Shape {
  readonly metric: Metric;
  readonly best: number;
  /** The value of the shortest bar. What is worse has none, so that one beginner flattens no others. */
  readonly end: number;
}

type Value = number | null | undefined;

/** So much of the rows has a bar. */
const SHOWN = 0.9;
/** The last of fewer than ten rows has none if it is so many times as far from the first as the one before it. */
const OUTLIER = 4;
/** The shortest bar. */
const SHORTEST = 0.08;

/** Return the ends of the bars of a metric; null where one row, or one value, leaves no distance to show. */
export function shapeOf(head: Head, rows: Rows, metric = head.metrics.find(({ primary }) => primary)): Shape | null {
  if (!metric) return null;
  const sign = metric.direction === "higher" ? 1 : -1;
  const values = (rows.scores[metric.id] ?? []).filter((value) => value !== null).sort((a, b) => sign * (b - a));
  const [best, last] = [values[0], values.at(-1)];
  if (best === undefined || last === undefined) return null;
  // A board in parts knows the end of its primary metric; where few parts are done, a value down there may be better.
  const known = metric.primary && rows.player.length < head.total ? (head.pages?.end ?? null) : null;
  const end = known !== null && sign * (best - known) >= 0 ? known : robustEnd(values);
  return best === last && best === end ? null : { metric, best, end };
}

function robustEnd(values: readonly number[]): number {
  const [best = 0, before = 0, last = 0] = [values[0], values.at(-2), values.at(-1)];
  if (values.length >= 10) return values[Math.ceil(SHOWN * values.length) - 1] ?? last;
  return values.length > 2 && Math.abs(last - best) > OUTLIER * Math.abs(before - best) ? before : last;
}

/** Return how long the bar of a value is, up to 1; 0 if it is worse than the end, null if it is missing. */
export function placeOf({ metric, best, end }: Shape, value: Value): number | null {
  if (value == null) return null;
  if (metric.direction === "higher" ? value < end : value > end) return 0;
  return best === end ? 1 : Math.min(1, SHORTEST + ((1 - SHORTEST) * (value - end)) / (best - end));
}

/** Return by how much a value differs from another one: of what is shown, unless both are shown alike. */
export function distanceOf({ decimals }: Metric, value: number, other: number): number {
  const [shown = 0, from = 0] = [value, other].map((each) => Number(each.toFixed(decimals ?? MAX_DECIMALS)));
  return shown === from ? value - other : shown - from;
}

/** Return the distance to the first, or to another value, as a signed number: `−5`; "" if there is none. */
export function formatGap({ metric, best }: Shape, value: Value, other: Value = best): string {
  if (value == null || other == null || value === other) return "";
  const text = formatScore(distanceOf(metric, value, other), metric);
  return value > other ? `+${text}` : text;
}
