/** Rows of a board, and what its head says of the others. */

import type { Head, Metric, PlayerKind, Rows } from "../../api/generated/types.ts";
import type { View } from "../../api/view.ts";
import { say } from "../../languages/say.ts";

/** One row of a board. */
export interface Row {
  /** The player's id, and the label's on a board that has a row for each label. */
  readonly id: string;
  readonly player: string;
  readonly label: string | null;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly rank: number;
  readonly tied: boolean;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly submissions: number;
  readonly at: number;
  readonly submission: string;
}

/** Return the id of a row. */
export const rowId = (player: string, label: string | null | undefined): string =>
  label == null ? player : `${player}/${encodeURIComponent(label)}`;

/** Return the id of the row at an index. */
export const idAt = (rows: Rows, index: number): string => rowId(rows.player[index] ?? "", rows.label?.[index]);

/** The ranks of rows, by their ids. */
export type Ranks = Readonly<Record<string, number>>;

export const ranksOf = (rows: Rows): Ranks =>
  Object.fromEntries(rows.rank.map((rank, index) => [idAt(rows, index), rank]));

/** How a row has moved: the places that it has won, negative if it has lost some, and what is said of it. */
export interface Move {
  readonly won: number;
  readonly text: number | string;
  readonly words: string;
}

/** Returns how a row has moved; null if it has not, or nobody knows. */
export type FindMove = (row: Row) => Move | null;

/** Return the row at an index. */
export function rowAt(rows: Rows, index: number): Row {
  const scores = Object.fromEntries(Object.entries(rows.scores).map(([id, values]) => [id, values[index] ?? null]));
  return {
    id: idAt(rows, index),
    player: rows.player[index] ?? "",
    label: rows.label?.[index] ?? null,
    name: rows.name[index] ?? "",
    kind: rows.kind[index] ?? "human",
    verified: rows.verified[index] ?? false,
    rank: rows.rank[index] ?? 0,
    tied: rows.tied[index] ?? false,
    scores,
    submissions: rows.submissions[index] ?? 0,
    at: rows.at[index] ?? 0,
    submission: rows.submission[index] ?? "",
  };
}

/** Return the ids of the rows that the owner marks as baselines. */
export const baselineIds = ({ baselines }: Pick<Head, "baselines">): ReadonlySet<string> =>
  new Set(baselines?.map(({ player, label }) => rowId(player, label)));

/** Return the index of the first row with an id, or of a player; -1 if the rows have none. */
export function indexOf(rows: Rows, id: string): number {
  const player = id.split("/", 1)[0];
  return rows.player.findIndex((other, index) => other === player && (id === player || idAt(rows, index) === id));
}

/** Return the row with an id, if the rows have it. */
export function findRow(rows: Rows, id: string): Row | undefined {
  const index = indexOf(rows, id);
  return index < 0 ? undefined : rowAt(rows, index);
}

/** When the first row took the lead alone, and from whom; null where the records do not say it. */
export function findLead({ improvements: { steps, total }, metrics, ranking, rows }: Head) {
  const values = rows.scores[metrics.find(({ primary }) => primary)?.id ?? ""] ?? [];
  // Of equal values another metric decides, and where a result can make a row worse its best one: both have no records.
  if ((rows.tied[0] ?? true) || values[0] === values[1] || ranking.keep !== "best") return null;
  const first = steps.findLastIndex(([, , row]) => row !== idAt(rows, 0)) + 1;
  const at = first > 0 || steps.length === total ? steps[first]?.[0] : undefined;
  return at === undefined ? null : { at, from: findRow(rows, steps[first - 1]?.[2] ?? "")?.name };
}

/** Return the title of a board; the main board has that of its benchmark. */
export const titleOf = ({ title, board_title }: Pick<Head, "title" | "board_title">): string =>
  board_title == null ? title : `${title}: ${board_title}`;

/** Return whether a view shows every row in rank order. */
export const isPlain = (view: View): boolean =>
  view.sort === "rank" && view.direction === "asc" && view.kind === "all" && view.query.trim() === "";

/** Return whether a head has all rows of its board. */
export const isWhole = (head: Head): boolean => head.rows.player.length >= head.total;

/** Return whether a view needs more rows than the head has, except those that are scrolled to. */
export const needsAllRows = (head: Head, view: View): boolean => !isWhole(head) && !isPlain(view);

/** The column that says how many parts a row has done. */
export const DONE = "#done";

/** Return the column of a part and a metric. */
export const columnOf = (part: string, metric: string): string => `#${part}/${metric}`;

/** Return the columns of parts, as metrics; none if the rows of the board do not have them. */
export const partMetrics = ({ metrics, parts }: Pick<Head, "metrics" | "parts">): readonly Metric[] =>
  (parts?.names ?? []).flatMap((part) =>
    metrics
      .filter(({ id }) => parts?.metrics.includes(id))
      .map((metric) => ({
        ...metric,
        id: columnOf(part, metric.id),
        label: `${part} ${metric.label}`,
        primary: false,
      })),
  );

/** Return all that rows can be sorted by: the metrics, then the columns of parts. */
export const allMetrics = (head: Head): readonly Metric[] => [...head.metrics, ...partMetrics(head)];

/** Return how many parts of how many a row has done; null if that is all, or not known. */
export function describeMissing(parts: Head["parts"], scores: Row["scores"]): string | null {
  const done = scores[DONE] ?? null;
  return parts == null || done === null || done >= parts.total
    ? null
    : say("{done} of {total} {parts}", { done, total: parts.total, parts: parts.noun });
}

/** Return whether a row has a medal: at most three share its rank, it has done all parts and has the first value. */
export function hasMedal({ metrics, parts, rows }: Head, { rank, scores }: Row): boolean {
  const primary = metrics.find((metric) => metric.primary);
  const isDone = describeMissing(parts, scores) === null && (primary === undefined || scores[primary.id] != null);
  return rank <= 3 && rows.rank[rank + 2] !== rank && isDone;
}

/** The longest board of which the browser loads all rows. */
export const MAX_LOADED = 20_000;

/** Return whether a board is too long to load all its rows, so that the API selects them. */
export const isLarge = (head: Head): boolean => head.total > MAX_LOADED && !isWhole(head);

/** Return the view of a board whose rows the API selects: it searches, and has one order. */
export const limitView = (view: View): View => ({ ...view, kind: "all", sort: "rank", direction: "asc" });
