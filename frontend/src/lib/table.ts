/** Rows of a board: search, filter, sort, page, changes. None of these changes a rank. */

import type { Head, Metric, PlayerKind, Rows } from "../api/generated/types.ts";
import { formatPlural, guestMark } from "./format.ts";
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
  /** Ranks won since the baseline; null: new since then; undefined: there is no baseline. */
  readonly delta: number | null | undefined;
  readonly scores: Readonly<Record<string, number | null>>;
  readonly submissions: number;
  readonly at: number;
  readonly submission: string;
}

/** Return the row at an index. */
export function rowAt(rows: Rows, index: number): Row {
  const scores = Object.fromEntries(Object.entries(rows.scores).map(([id, values]) => [id, values[index] ?? null]));
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

/** Return the row of a player, if the rows have it. */
export function findRow(rows: Rows, player: string): Row | undefined {
  const index = rows.player.indexOf(player);
  return index < 0 ? undefined : rowAt(rows, index);
}

/** Return the indices of the rows that a view shows on all its pages, in its order. */
export function selectRows(rows: Rows, view: View, metrics: readonly Metric[]): readonly number[] {
  const query = fold(view.query.trim());
  const names = query === "" ? [] : foldedNames(rows);
  const indices: number[] = [];
  for (let index = 0; index < rows.player.length; index++) {
    if (view.kind !== "all" && rows.kind[index] !== view.kind) continue;
    if (query !== "" && !names[index]?.includes(query)) continue;
    indices.push(index);
  }
  return sortRows(indices, rows, view, metrics);
}

/** Return the part of a selection on a page, and the number of pages. A page beyond the last becomes the last. */
export function cutPage(selected: readonly number[], page: number) {
  const pages = Math.max(1, Math.ceil(selected.length / PAGE_SIZE));
  const current = Math.min(page, pages);
  return { current, pages, indices: selected.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE) };
}

/** Return whether a view needs more rows than the head has. */
export function needsAllRows(head: Head, view: View): boolean {
  if (head.rows.player.length >= head.total) return false;
  const plain = view.sort === "rank" && view.direction === "asc" && view.kind === "all" && view.query.trim() === "";
  const reach = Math.min(view.page * PAGE_SIZE, head.total);
  return !plain || reach > head.rows.player.length || view.picks.some((player) => !head.rows.player.includes(player));
}

/** Return how many players share each of the first three ranks. */
export function medalSharers(rows: Rows): ReadonlyMap<number, number> {
  const sharers = new Map<number, number>();
  for (const rank of rows.rank) {
    if (rank > 3) break;
    sharers.set(rank, (sharers.get(rank) ?? 0) + 1);
  }
  return sharers;
}

/** Sort indices. In either direction, equal values stay in rank order and missing values are last. */
function sortRows(indices: number[], rows: Rows, view: View, metrics: readonly Metric[]): readonly number[] {
  const sign = view.direction === "asc" ? 1 : -1;
  if (view.sort === "rank") return sign === 1 ? indices : indices.reverse();
  const metric = sortedMetric(view.sort, metrics);
  const keys = metric ? (rows.scores[metric.id] ?? []) : sortKeys(rows, view.sort);
  const present: number[] = [];
  const missing: number[] = [];
  const values = new Float64Array(rows.player.length);
  for (const index of indices) {
    const value = keys[index];
    (value == null ? missing : present).push(index);
    values[index] = value ?? 0;
  }
  present.sort((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || a - b);
  return [...present, ...missing];
}

function sortKeys(rows: Rows, sort: string): readonly number[] {
  if (sort === "submissions") return rows.submissions;
  return sort === "last" ? rows.at : namePositions(rows);
}

const folded = new WeakMap<Rows, readonly string[]>();
const positions = new WeakMap<Rows, readonly number[]>();

/** Return the names without case, width and accents, for the search. */
function foldedNames(rows: Rows): readonly string[] {
  const names = folded.get(rows) ?? rows.name.map(fold);
  folded.set(rows, names);
  return names;
}

/** Return each name's position in the alphabet; equal names have the same position. */
function namePositions(rows: Rows): readonly number[] {
  const cached = positions.get(rows);
  if (cached) return cached;
  const { compare } = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const names = rows.name;
  const order = names.map((_, index) => index).sort((a, b) => compare(names[a] ?? "", names[b] ?? ""));
  const result = new Array<number>(order.length);
  let position = 0;
  order.forEach((index, at) => {
    const before = order[at - 1];
    if (before !== undefined && compare(names[before] ?? "", names[index] ?? "") !== 0) position = at;
    result[index] = position;
  });
  positions.set(rows, result);
  return result;
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Return the players whose own result is new or different; a rank that only moved because of others is no change. */
export function changedPlayers(before: Rows, after: Rows): ReadonlySet<string> {
  const indexBefore = new Map(before.player.map((player, index) => [player, index]));
  const changed = new Set<string>();
  after.player.forEach((player, index) => {
    const old = indexBefore.get(player);
    const isSame =
      old !== undefined &&
      before.submissions[old] === after.submissions[index] &&
      Object.entries(after.scores).every(([id, values]) => values[index] === before.scores[id]?.[old]);
    if (!isSame) changed.add(player);
  });
  return changed;
}

/** Return one sentence about the changes, for screen readers; "" if there are none. */
export function describeChanges(changed: ReadonlySet<string>, after: Rows): string {
  if (changed.size === 0) return "";
  const first = after.player.findIndex((player) => changed.has(player));
  const name = after.name[first] ?? "";
  const best = `${name}${guestMark(name, after.verified[first] ?? false)} is at rank ${after.rank[first]}`;
  return changed.size === 1
    ? `The board changed: ${best}.`
    : `The board changed for ${formatPlural(changed.size, "player")}; ${best}.`;
}
