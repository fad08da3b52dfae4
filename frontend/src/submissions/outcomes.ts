/** What an outcome means for the player, and what the evaluation printed. */

import type { Outcome } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";

export type Tone = "good" | "bad" | "neutral";

export interface Meaning {
  readonly label: string;
  readonly tone: Tone;
  readonly explanation?: string;
  readonly next?: string;
}

export const MEANINGS: Readonly<Record<Outcome, Meaning>> = {
  scored: { label: say("Scored"), tone: "good" },
  invalid: {
    label: say("Invalid"),
    tone: "bad",
    explanation: say("The result is not what this benchmark asks for, so it has no score. The board does not change."),
    next: say("Fix what the message names, and hand the result in again."),
  },
  evaluator_error: {
    label: say("Benchmark at fault"),
    tone: "neutral",
    explanation: say("The benchmark’s own evaluation failed. This is not your fault; its owner has been notified."),
    next: say("You need not change anything. Try again later."),
  },
  internal_error: {
    label: say("Our fault"),
    tone: "neutral",
    explanation: say("We could not score the result. This is not your fault, and we have kept the result."),
    next: say("You need not change anything. Try again later; the result may also be scored automatically."),
  },
};

/** Return what a script printed, or "" if the message already says the same. */
export function formatOutput(message: string | null | undefined, stdout: string, stderr: string): string {
  const texts = [stdout, stderr].filter((text) => text.trim() !== "");
  return texts.map((text) => text.trim()).join("\n") === message ? "" : texts.join("\n");
}

export const MAX_DETAIL = 65_536;

/** Return a detail as JSON: indented if it is short, cut with a note if it is long. */
export function formatDetail(detail: unknown): string {
  const compact = JSON.stringify(detail);
  const text = compact.length > MAX_DETAIL ? compact : JSON.stringify(detail, null, 2);
  if (text.length <= MAX_DETAIL) return text;
  return `${text.slice(0, MAX_DETAIL)}\n… ${say("This is the beginning; the API returns all of it.")}`;
}

type Rows = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Rows of numbers in a detail, each with some of the columns. */
export interface NumberTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: Rows;
}

/** Return a detail as the page shows it: members that are files by their names, those that are tables, and the others. */
export function splitDetail(detail: Readonly<Record<string, unknown>>) {
  const members = Object.entries(detail);
  const isFile = (name: string): boolean => name.endsWith(".json");
  const tables = members.flatMap(([name, rows]) =>
    isFile(name) || !isTable(rows)
      ? []
      : [{ name, columns: [...new Set(Object.values(rows).flatMap(Object.keys))], rows }],
  );
  const isTabled = new Set(tables.map((table) => table.name));
  return {
    files: members.filter(([name]) => isFile(name)),
    tables,
    rest: Object.fromEntries(members.filter(([name]) => !isFile(name) && !isTabled.has(name))),
  };
}

/** Return how many rows of a submission have a label that the ground truth lacks; `table` counts them by column. */
export const countUnknownLabels = (details: readonly unknown[]): number =>
  details
    .flatMap((detail) =>
      isRecord(detail) && isRecord(detail["unknown_labels"]) ? Object.values(detail["unknown_labels"]) : [],
    )
    .reduce<number>((sum, count) => sum + Number(count), 0);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isTable(value: unknown): value is Rows {
  const rows = isRecord(value) ? Object.values(value) : [];
  const isRow = (row: unknown): boolean =>
    isRecord(row) && Object.values(row).every((cell) => typeof cell === "number") && Object.keys(row).length > 0;
  return rows.length > 0 && rows.every(isRow);
}

const STATUSES: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  ...MEANINGS,
  queued: { label: say("Waiting"), tone: "neutral" },
  in_review: { label: say("In review: waits for the owner’s look"), tone: "neutral" },
  refused: { label: say("Refused"), tone: "bad" },
};

/** Return the label and colour of an entry's status. */
export const describeStatus = (status: string) => STATUSES[status] ?? { label: status, tone: "neutral" };
