/** Rows of a board as columns: search, filter, sort, page. Nothing here changes a rank. */

import type { Head, Metric, PlayerKind, Rows } from "../api/generated/snapshots.ts";
import { sortedMetric, type View } from "./view.ts";

export const PAGE_SIZE = 50;

/** One player's row. */
export interface Row {
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly rank: number;
  readonly tied: boolean;
  /** How many ranks were climbed since the baseline; null: new since then; undefined: there is no baseline. */
  readonly delta: number | null | undefined;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly submissions: number;
  readonly at: number;
  readonly submission: string;
}

/** Gives the row at an index. */
export function rowAt(rows: Rows, index: number): Row {
  const scores = Object.fromEntries(Object.entries(rows.scores).map(([id, column]) => [id, column[index] ?? null]));
  return {
    player: rows.player[index] ?? "",
    name: rows.name[index] ?? "",
    kind: rows.kind[index] ?? "human",
    verified: rows.verified[index] ?? false,
    rank: rows.rank[index] ?? 0,
    tied: rows.tied[index] ?? false,
    delta: rows.delta[index],
    scores,
    submissions: rows.submissions[index] ?? 0,
    at: rows.at[index] ?? 0,
    submission: rows.submission[index] ?? "",
  };
}

/** Gives the row of a player, if the rows have it. */
export function findRow(rows: Rows, player: string): Row | undefined {
  const index = rows.player.indexOf(player);
  return index < 0 ? undefined : rowAt(rows, index);
}

/** Gives the indices of the rows that a view shows on all its pages, in its order. */
export function selectRows(rows: Rows, view: View, metrics: readonly Metric[]): readonly number[] {
  const wanted = fold(view.query.trim());
  const names = wanted === "" ? [] : foldedNames(rows);
  const found: number[] = [];
  for (let index = 0; index < rows.player.length; index++) {
    if (view.kind !== "all" && rows.kind[index] !== view.kind) continue;
    if (wanted !== "" && !names[index]?.includes(wanted)) continue;
    found.push(index);
  }
  return sortRows(found, rows, view, metrics);
}

/** Gives the part of a selection that is on a page, and how many pages there are; a page too far is the last one. */
export function cutPage(selected: readonly number[], page: number) {
  const pages = Math.max(1, Math.ceil(selected.length / PAGE_SIZE));
  const current = Math.min(page, pages);
  return { current, pages, indices: selected.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE) };
}

/** Tells whether a view needs more rows than a head carries. */
export function needsAllRows(head: Head, view: View): boolean {
  if (head.rows.player.length >= head.total) return false;
  const plain = view.sort === "rank" && view.direction === "asc" && view.kind === "all" && view.query.trim() === "";
  const reach = Math.min(view.page * PAGE_SIZE, head.total);
  return !plain || reach > head.rows.player.length || view.picks.some((one) => !head.rows.player.includes(one));
}

/** Gives how many players share each rank among the medals. */
export function medalSharers(rows: Rows): ReadonlyMap<number, number> {
  const sharers = new Map<number, number>();
  for (const rank of rows.rank) {
    if (rank > 3) break;
    sharers.set(rank, (sharers.get(rank) ?? 0) + 1);
  }
  return sharers;
}

/** Orders indices. Equal values stay in order of rank, missing ones are last, whatever the direction. */
function sortRows(indices: number[], rows: Rows, view: View, metrics: readonly Metric[]): readonly number[] {
  const sign = view.direction === "asc" ? 1 : -1;
  if (view.sort === "rank") return sign === 1 ? indices : indices.reverse();
  const metric = sortedMetric(view.sort, metrics);
  const column = metric ? (rows.scores[metric.id] ?? []) : numbersOf(rows, view.sort);
  const present: number[] = [];
  const missing: number[] = [];
  const values = new Float64Array(rows.player.length);
  for (const index of indices) {
    const value = column[index];
    (value == null ? missing : present).push(index);
    values[index] = value ?? 0;
  }
  present.sort((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || a - b);
  return [...present, ...missing];
}

function numbersOf(rows: Rows, sort: string): readonly number[] {
  if (sort === "submissions") return rows.submissions;
  return sort === "last" ? rows.at : namePositions(rows);
}

const folded = new WeakMap<Rows, readonly string[]>();
const positions = new WeakMap<Rows, readonly number[]>();

/** Gives names as they are searched in: without case, width and accents. */
function foldedNames(rows: Rows): readonly string[] {
  const known = folded.get(rows) ?? rows.name.map(fold);
  folded.set(rows, known);
  return known;
}

/** Gives each name's place in the alphabet; the same name has the same place. */
function namePositions(rows: Rows): readonly number[] {
  const known = positions.get(rows);
  if (known) return known;
  const { compare } = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const names = rows.name;
  const order = names.map((_, index) => index).sort((a, b) => compare(names[a] ?? "", names[b] ?? ""));
  const places = new Array<number>(order.length);
  let place = 0;
  order.forEach((index, at) => {
    const before = order[at - 1];
    if (before !== undefined && compare(names[before] ?? "", names[index] ?? "") !== 0) place = at;
    places[index] = place;
  });
  positions.set(rows, places);
  return places;
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
