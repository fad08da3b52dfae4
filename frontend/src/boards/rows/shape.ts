/** Where the rows of a board are between its last and its first, by what is ranked first. */

import type { Head, Metric, Rows } from "../../api/generated/types.ts";
import { formatScore } from "../../ui/lib/format.ts";

export interface Shape {
  readonly metric: Metric;
  readonly best: number;
  readonly worst: number;
}

/** Return the ends of a board's line; null where one row, or one value, leaves no distance to show. */
export function shapeOf(head: Head, rows: Rows): Shape | null {
  const metric = head.metrics.find(({ primary }) => primary);
  if (!metric) return null;
  // Of a board that is loaded in parts, the histogram knows the ends.
  const range = rows.player.length < head.total ? head.histogram[metric.id] : undefined;
  const values = range ? [range.min, range.max] : (rows.scores[metric.id] ?? []).filter((value) => value !== null);
  const ends = [Math.min(...values), Math.max(...values)] as const;
  if (!(ends[0] < ends[1])) return null;
  const [worst, best] = metric.direction === "higher" ? ends : [ends[1], ends[0]];
  return { metric, best, worst };
}

/** Return the place of a value on the line, from 0 for the last to 1 for the first; null if it is missing. */
export function placeOf({ best, worst }: Shape, value: number | null | undefined): number | null {
  return value == null ? null : Math.min(1, Math.max(0, (value - worst) / (best - worst)));
}

/** Return the distance to the first as a signed number: `−5`; "" for the first, and where there is no value. */
export function formatGap({ metric, best }: Shape, value: number | null | undefined): string {
  if (value == null || value === best) return "";
  const text = formatScore(value - best, metric);
  return value > best ? `+${text}` : text;
}
