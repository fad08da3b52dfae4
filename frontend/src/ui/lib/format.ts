/** Numbers, ranks, times and names as people read them. */

import { writeNumber, writeWithUnit } from "../../../../sdk/numbers.js";
import type { Metric } from "../../api/generated/types.ts";
import { formatCount, locale, say } from "../../languages/say.ts";

export { formatCount };

export const MISSING = "–";
const MINUTE = 60_000;
const UNITS = [
  ["year", 365 * 24 * 60 * MINUTE],
  ["month", 30 * 24 * 60 * MINUTE],
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
] as const;
const dates = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long" });
const ages = new Intl.RelativeTimeFormat(locale);
const shortAges = new Intl.RelativeTimeFormat(locale, { style: "short" });

type Shown = Pick<Metric, "decimals" | "unit">;

/** Return a value of a metric without its unit; "–" if it is missing. */
export const formatScore = (value: number | null | undefined, metric: Shown): string =>
  writeNumber(value, metric, locale);

/** Return a value with its unit: `12.30 s`, `95.0 %`. */
export const formatWithUnit = (value: number | null | undefined, metric: Shown): string =>
  writeWithUnit(value, metric, locale);

/** Return a value with its unit, or with its label if that would not tell it from another: `45.63 s`, `Exact 97.22`. */
export const describeScore = (value: number | null | undefined, metric: Metric, other?: Metric): string =>
  metric.unit && metric.unit !== other?.unit
    ? formatWithUnit(value, metric)
    : `${metric.label} ${formatScore(value, metric)}`;

/** Return which values of a metric are better. */
export const sayBetter = ({ direction }: Pick<Metric, "direction">): string =>
  direction === "higher" ? say("higher is better") : say("lower is better");

/** Return a rank; a shared one as `=2`. */
export const formatRank = (rank: number, tied: boolean): string => `${tied ? "=" : ""}${formatCount(rank)}`;

/** Return how long ago a time was: `3 minutes ago`, or short `3 min ago`; less than a minute is `just now`. */
export function formatAgo(time: number, now: number, short = false): string {
  const elapsed = now - time;
  for (const [unit, length] of UNITS) {
    if (elapsed >= length) return (short ? shortAges : ages).format(-Math.trunc(elapsed / length), unit);
  }
  return say("just now");
}

const DAY = { day: "numeric", month: "short" } as const;

/** Return since when something is: `14:42`, `27 Nov` if that was not today, `27 Nov 2024` if not this year. */
export function formatSince(time: number): string {
  const [then, now] = [new Date(time), new Date()];
  if (then.toDateString() === now.toDateString()) return then.toLocaleTimeString(locale, { timeStyle: "short" });
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return then.toLocaleDateString(locale, { ...DAY, year });
}

/** Return a time in the visitor's time zone, which it names: `21 Nov 2026, 02:46:00 CET`. */
export const formatTime = (time: number): string => dates.format(time);
