/** Merges the pages of a board with what changed since they were written: all rows in rank order. */

import type { Rows } from "../../api/generated/types.ts";
import { rowId, type Row } from "./row.ts";

type Score = number | null;
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
    (Pick<Row, About> & { readonly label?: string | null; readonly scores: Readonly<Record<string, number>> }) | null;
}
export type Changes = Readonly<Record<string, Change>>;

/** The metrics that decide ranks, the first first. */
export type Order = readonly (readonly [metric: string, direction: string])[];

/** A row of a page, or a changed one. */
interface Entry extends Pick<Row, About> {
  readonly id: string;
  readonly label?: string | null | undefined;
  readonly scores: Readonly<Record<string, Score>>;
}

/** Return all rows of a board. */
export function mergePages(pages: readonly Page[], changes: Changes, order: Order, metrics: readonly string[]): Rows {
  const stay = pages.flatMap(listEntries).filter(({ id }) => !Object.hasOwn(changes, id));
  const come = Object.entries(changes).flatMap(([id, { row }]) => (row ? [{ ...row, id }] : []));
  // Most rows are in order already, which makes this fast.
  const entries: readonly Entry[] = [...stay, ...come].sort((a, b) => compareEntries(a, b, order));
  return makeRows(entries, order, metrics);
}

const listEntries = (page: Page): readonly Entry[] =>
  page.player.map((player, index) => ({
    id: rowId(player, page.label?.[index]),
    player,
    name: page.name[index] ?? "",
    kind: page.kind[index] ?? "human",
    verified: page.verified[index] ?? false,
    label: page.label?.[index],
    scores: Object.fromEntries(Object.entries(page.scores).map(([metric, values]) => [metric, values[index] ?? null])),
    submissions: page.submissions[index] ?? 0,
    submission: page.submission[index] ?? "",
  }));

/** Compare two rows by the scores that decide ranks; rows without a score come last. */
function compareScores(a: Entry, b: Entry, order: Order): number {
  for (const [metric, direction] of order) {
    const [left = null, right = null] = [a.scores[metric], b.scores[metric]];
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1;
    } else if (left < right || left > right) {
      return left < right === (direction === "lower") ? -1 : 1;
    }
  }
  return 0;
}

const compareEntries = (a: Entry, b: Entry, order: Order): number =>
  compareScores(a, b, order) || compareTexts(a.submission, b.submission) || compareTexts(a.id, b.id);

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
  return {
    player: entries.map(({ player }) => player),
    name: entries.map(({ name }) => name),
    kind: entries.map(({ kind }) => kind),
    verified: entries.map(({ verified }) => verified),
    label: entries.some(({ label }) => label != null) ? entries.map(({ label }) => label ?? "") : [],
    rank,
    tied,
    scores: Object.fromEntries(metrics.map((metric) => [metric, entries.map(({ scores }) => scores[metric] ?? null)])),
    submissions: entries.map(({ submissions }) => submissions),
    at: entries.map(({ submission }) => timeOf(submission)),
    submission: entries.map(({ submission }) => submission),
  };
}

/** Return when a submission was submitted, in milliseconds since 1970: the first 48 bits of its id. */
const timeOf = (submission: string): number => parseInt(submission.slice(0, 13).replace("-", ""), 16);
