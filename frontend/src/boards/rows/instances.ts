/** Windows of a board: the names of their instances, and how long one still takes results. */

import { locale, say } from "../../languages/say.ts";
import { formatUnit } from "./ranks.ts";

/** The ends of the ids of windows that come again, and of the dates of their instances. */
const DATES = new Map([
  ["daily", /^\d{4}-\d\d-\d\d$/],
  ["weekly", /^\d{4}-w\d\d$/],
  ["monthly", /^\d{4}-\d\d$/],
]);

interface Named {
  /** The id of the window, which begins with that of its board unless it is the main board's. */
  readonly window: string;
  readonly period: string;
  /** `2026-11-23`, `2026-w48`, `2026-11`; empty if the id names the window, so the present instance. */
  readonly date: string;
}

/** Parse the id of a window that comes again, or of an instance of it; null if it is neither. */
function parse(board: string): Named | null {
  const parts = board.split("-");
  const end = parts.findLastIndex((part) => DATES.has(part)) + 1;
  const [period = "", date] = [parts[end - 1], parts.slice(end).join("-")];
  if (date !== "" && !DATES.get(period)?.test(date)) return null;
  return end === 0 ? null : { window: parts.slice(0, end).join("-"), period, date };
}

/** Return the window that comes again and that an id names, or is an instance of; null if it is none. */
export const windowOf = (board: string): string | null => parse(board)?.window ?? null;

/** Return what people call an instance: `23 November 2026`, `Week 48 of 2026`; null if the id has no date. */
export function describeInstance(board: string): string | null {
  const { period = "", date } = parse(board) ?? {};
  if (!date) return null;
  if (period === "weekly") return say("Week {week} of {year}", { week: Number(date.slice(6)), year: date.slice(0, 4) });
  const day = period === "daily" ? "numeric" : undefined;
  // An id has no time zone.
  return new Date(date).toLocaleDateString(locale, { day, month: "long", year: "numeric", timeZone: "UTC" });
}

/** Return how long it is until a moment, in two units: `3 hrs 12 mins`, `2 days 4 hrs`. */
export function formatLeft(to: string, now: number): string {
  const minutes = Math.ceil((Date.parse(to) - now) / 60_000);
  if (minutes <= 1) return say("less than a minute");
  const units = [
    [Math.floor(minutes / 1440), "day"],
    [Math.floor(minutes / 60) % 24, "hour"],
    [minutes % 60, "minute"],
  ] as const;
  return units
    .filter(([count]) => count > 0)
    .slice(0, 2)
    .map(([count, unit]) => formatUnit(count, unit, "short"))
    .join(" ");
}

/** Return a time until a moment as a clock counts it down: `0:47:12`. */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const digits = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  return [Math.floor(seconds / 3600), ...digits].join(":");
}
