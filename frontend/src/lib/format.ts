/** Numbers, ranks, sizes and times as people read them. */

import type { Metric } from "../api/generated/snapshots.ts";

export const MISSING = "–";
const MAX_DECIMALS = 4;
const MINUTE = 60_000;
const UNITS: readonly (readonly [string, number])[] = [
  ["year", 365 * 24 * 60 * MINUTE],
  ["month", 30 * 24 * 60 * MINUTE],
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["min", MINUTE],
];
const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const counts = new Intl.NumberFormat("en");
const formats = new Map<string, Intl.NumberFormat>();

/** Writes a value of a metric without its unit; an absent one is "–". */
export function formatScore(value: number | null | undefined, metric: Pick<Metric, "decimals">): string {
  if (value == null) return MISSING;
  const tiny = value !== 0 && Math.abs(value) < 10 ** -(metric.decimals ?? MAX_DECIMALS) / 2;
  if (Math.abs(value) >= 1e12 || (metric.decimals === null && tiny)) return value.toExponential(2);
  return minus(numberFormat(metric.decimals ?? 0, metric.decimals ?? MAX_DECIMALS).format(value));
}

/** Writes a value with its unit: `12.30 s`, `95.0 %`. */
export function formatWithUnit(value: number | null | undefined, metric: Pick<Metric, "decimals" | "unit">): string {
  const text = formatScore(value, metric);
  return value == null || !metric.unit ? text : `${text}\u202f${metric.unit}`;
}

/** Writes a whole number with separators: `10,000`. */
export const formatCount = (value: number): string => counts.format(value);

/** Writes a count with its noun: `1 player`, `30 players`. */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Writes a rank; a shared one says so: `=2`. */
export const formatRank = (rank: number, tied: boolean): string => `${tied ? "=" : ""}${formatCount(rank)}`;

/** Writes a rank as words: `2nd`, `11th`; a shared one `shared 2nd`. */
export function spellRank(rank: number, tied: boolean): string {
  const tens = rank % 100;
  const ending = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][rank % 10] ?? "th");
  return `${tied ? "shared " : ""}${formatCount(rank)}${ending}`;
}

/** Tells how long ago a moment was: `3 min ago`, `2 days ago`; less than a minute is `just now`. */
export function formatAgo(moment: number, now: number): string {
  const past = now - moment;
  for (const [unit, length] of UNITS) {
    if (past >= length) return `${formatPlural(Math.trunc(past / length), unit, unit === "min" ? unit : undefined)} ago`;
  }
  return "just now";
}

/** Writes a moment in the visitor's time zone: `21 Nov 2026, 02:46`. */
export const formatMoment = (moment: number): string => dates.format(moment);

function numberFormat(least: number, most: number): Intl.NumberFormat {
  const key = `${least}-${most}`;
  const known =
    formats.get(key) ?? new Intl.NumberFormat("en", { minimumFractionDigits: least, maximumFractionDigits: most });
  formats.set(key, known);
  return known;
}

/** The minus of typography, as wide as the plus; and no "-0". */
function minus(text: string): string {
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace("-", "−");
}
