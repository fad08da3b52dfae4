/** Merges the pages of a board with what changed since they were written: all rows in rank order, with exact ranks. */

import type { Rows } from "../../api/generated/types.ts";
import { rowId, type Row } from "./row.ts";

type Score = number | bigint | null;
type Scores = Readonly<Record<string, readonly Score[]>>;

/** What a row has besides its scores and its label. */
type About = "player" | "name" | "kind" | "verified" | "submissions" | "submission";

/** `page.*.json`: rows in rank order, one array a column. Their ranks follow from the pages before. */
export interface Page extends Pick<Rows, About> {
  readonly label?: readonly string[];
  readonly scores: Scores;
}

/** What changed since the pages were written: a row as it is now, or null if it left the board. */
export interface Change {
  readonly row:
    | (Pick<Row, About> & {
        readonly label?: string | null;
        readonly scores: Readonly<Record<string, number | bigint>>;
      })
    | null;
}
export type Changes = Readonly<Record<string, Change>>;

/** The metrics that decide ranks, the first first. */
export type Order = readonly (readonly [metric: string, direction: string])[];

/** A row in its page, or in a page of its own. */
interface Entry {
  readonly page: Page;
  readonly index: number;
  readonly id: string;
}

/** Return all rows of a board. */
export function mergePages(pages: readonly Page[], changes: Changes, order: Order, metrics: readonly string[]): Rows {
  const isChanged = (id: string): boolean => Object.hasOwn(changes, id);
  const stay = pages.flatMap((page) => listEntries(page)).filter((entry) => !isChanged(entry.id));
  const come = listChanged(changes).sort((a, b) => compareEntries(a, b, order));
  const entries: Entry[] = [];
  let next = 0;
  for (const entry of stay) {
    for (let arrival = come[next]; arrival && compareEntries(arrival, entry, order) < 0; arrival = come[++next])
      entries.push(arrival);
    entries.push(entry);
  }
  entries.push(...come.slice(next));
  return makeRows(entries, order, metrics);
}

const listEntries = (page: Page): readonly Entry[] =>
  page.player.map((player, index) => ({ page, index, id: rowId(player, page.label?.[index]) }));

function listChanged(changes: Changes): Entry[] {
  return Object.entries(changes).flatMap(([id, { row }]) => {
    if (row === null) return [];
    const { player, name, kind, verified, label, submissions, submission } = row;
    const page: Page = {
      player: [player],
      name: [name],
      kind: [kind],
      verified: [verified],
      ...(label == null ? {} : { label: [label] }),
      scores: Object.fromEntries(Object.entries(row.scores).map(([metric, value]) => [metric, [value]])),
      submissions: [submissions],
      submission: [submission],
    };
    return [{ page, index: 0, id }];
  });
}

/** Compare two rows by the scores that decide ranks; rows without a score come last. */
function compareScores(a: Entry, b: Entry, order: Order): number {
  for (const [metric, direction] of order) {
    const [left = null, right = null] = [a.page.scores[metric]?.[a.index], b.page.scores[metric]?.[b.index]];
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1;
    } else if (left < right || left > right) {
      return left < right === (direction === "lower") ? -1 : 1;
    }
  }
  return 0;
}

const compareEntries = (a: Entry, b: Entry, order: Order): number =>
  compareScores(a, b, order) ||
  compareTexts(a.page.submission[a.index] ?? "", b.page.submission[b.index] ?? "") ||
  compareTexts(a.id, b.id);

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function makeRows(entries: readonly Entry[], order: Order, metrics: readonly string[]): Rows {
  const rank: number[] = [];
  const tied: boolean[] = [];
  entries.forEach((entry, index) => {
    const before = entries[index - 1];
    const isTied = before !== undefined && compareScores(before, entry, order) === 0;
    rank.push(isTied ? (rank[index - 1] ?? 0) : index + 1);
    tied.push(isTied);
    if (isTied) tied[index - 1] = true;
  });
  const column = <Value>(read: (page: Page) => readonly Value[], missing: Value): readonly Value[] =>
    entries.map(({ page, index }) => read(page)[index] ?? missing);
  const submission = column((page) => page.submission, "");
  return {
    player: column((page) => page.player, ""),
    name: column((page) => page.name, ""),
    kind: column((page) => page.kind, "human"),
    verified: column((page) => page.verified, false),
    label: entries.some(({ page }) => page.label) ? column((page) => page.label ?? [], "") : [],
    rank,
    tied,
    scores: Object.fromEntries(
      metrics.map((metric) => [
        metric,
        entries.map(({ page, index }) => {
          const value = page.scores[metric]?.[index] ?? null;
          return value === null ? null : Number(value);
        }),
      ]),
    ),
    submissions: column((page) => page.submissions, 0),
    at: submission.map(timeOf),
    submission,
  };
}

/** Return when a submission was submitted, in milliseconds since 1970: the first 48 bits of its id. */
const timeOf = (submission: string): number => parseInt(submission.slice(0, 13).replace("-", ""), 16);

const INTEGER = /^-?\d+$/;

/** Parse JSON; integers that a number cannot hold become bigints, so that they compare exactly. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasUnsafe(value)) return value;
  const revive = (_: string, number: unknown, context?: { readonly source?: string }): unknown =>
    isUnsafe(number) && INTEGER.test(context?.source ?? "") ? BigInt(context?.source ?? 0) : number;
  return JSON.parse(text, revive);
}

const isUnsafe = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const hasUnsafe = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.values(value).some(hasUnsafe) : isUnsafe(value);
