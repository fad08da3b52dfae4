/** Windows of a board: the names of their instances, and how long one still takes results. */

import { locale, say } from "../../languages/say.ts";
import { formatUnit } from "./ranks.ts";

const DAY = 86_400_000;
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

/** Return the id of the instance after one; null if the id has no date. */
export function nextInstance(board: string): string | null {
  const { window, period = "", date } = parse(board) ?? {};
  if (!date) return null;
  if (period === "weekly") {
    const [year, week] = [Number(date.slice(0, 4)), Number(date.slice(6))];
    const isLast = firstMonday(year) + week * 7 * DAY >= firstMonday(year + 1);
    return `${window}-${isLast ? year + 1 : year}-w${String(isLast ? 1 : week + 1).padStart(2, "0")}`;
  }
  // 31 days after the first of a month are in the next one.
  const next = new Date(Date.parse(date) + (period === "daily" ? 1 : 31) * DAY);
  return `${window}-${next.toISOString().slice(0, date.length)}`;
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

/** Return the Monday of a year's first ISO week, that of 4 January. */
function firstMonday(year: number): number {
  const fourth = Date.UTC(year, 0, 4);
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY;
}
