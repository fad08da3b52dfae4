/** Selects rows of a board: search, filter, sort; and what has changed. None of these changes a rank. */

import type { Metric, Rows } from "../../api/generated/types.ts";
import { sortedMetric, type View } from "../../api/view.ts";
import { locale, say } from "../../languages/say.ts";
import { fold } from "../../ui/lib/fold.ts";
import { guestMark } from "../../ui/lib/guests.ts";
import { idAt } from "./row.ts";

/** Return the indices of the rows that a view shows, in its order. */
export function selectRows(rows: Rows, view: View, metrics: readonly Metric[]): readonly number[] {
  const query = fold(view.query.trim());
  const matches = query === "" ? null : matchRows(rows, query);
  const indices: number[] = [];
  for (let index = 0; index < rows.player.length; index++) {
    if (view.kind !== "all" && rows.kind[index] !== view.kind) continue;
    if (matches?.[index] === false) continue;
    indices.push(index);
  }
  return sortRows(indices, rows, view, metrics);
}

/** Return which rows' names have a text; if there are none, which players' ids start with it. */
function matchRows(rows: Rows, query: string): readonly boolean[] {
  const matches = foldedNames(rows).map((name) => name.includes(query));
  return matches.includes(true) ? matches : rows.player.map((player) => fold(player).startsWith(query));
}

/** Sort indices. In either direction, equal values stay in rank order and missing values are last. */
function sortRows(indices: number[], rows: Rows, view: View, metrics: readonly Metric[]): readonly number[] {
  const sign = view.direction === "asc" ? 1 : -1;
  if (view.sort === "rank") return sign === 1 ? indices : indices.reverse();
  // A sort leaves equal values as they are.
  if (view.sort === "player") {
    const { compare } = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });
    return indices.sort((a, b) => sign * compare(rows.name[a] ?? "", rows.name[b] ?? ""));
  }
  const metric = sortedMetric(view.sort, metrics);
  const keys = metric ? (rows.scores[metric.id] ?? []) : view.sort === "last" ? rows.at : rows.submissions;
  const isMissing = (index: number): number => Number(keys[index] == null);
  return indices.sort((a, b) => isMissing(a) - isMissing(b) || sign * ((keys[a] ?? 0) - (keys[b] ?? 0)));
}

const folded = new WeakMap<Rows, readonly string[]>();

/** Return names and labels without case, width and accents, for the search. */
function foldedNames(rows: Rows): readonly string[] {
  const names = folded.get(rows) ?? rows.name.map((name, index) => fold(`${name} ${rows.label?.[index] ?? ""}`));
  folded.set(rows, names);
  return names;
}

/** Return the ids of rows whose own result is new or different; a rank that only moved because of others is no change. */
export function changedRows(before: Rows, after: Rows): ReadonlySet<string> {
  const indexBefore = new Map(before.player.map((_, index) => [idAt(before, index), index]));
  const changed = new Set<string>();
  after.player.forEach((_, index) => {
    const id = idAt(after, index);
    const old = indexBefore.get(id);
    const isSame =
      old !== undefined &&
      before.submissions[old] === after.submissions[index] &&
      Object.entries(after.scores).every(([metric, values]) => values[index] === before.scores[metric]?.[old]);
    if (!isSame) changed.add(id);
  });
  return changed;
}

/** Return one sentence about the changes, for screen readers; "" if there are none. */
export function describeChanges(changed: ReadonlySet<string>, after: Rows): string {
  if (changed.size === 0) return "";
  const first = after.player.findIndex((_, index) => changed.has(idAt(after, index)));
  const name = after.name[first] ?? "";
  return say(
    "The board changed: {name} is at rank {rank}.|The board changed for {count} players; {name} is at rank {rank}.",
    {
      count: changed.size,
      name: `${name}${guestMark(name, after.verified[first] ?? false)}`,
      rank: after.rank[first] ?? 0,
    },
  );
}
