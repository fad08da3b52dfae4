/** How many places rows have won or lost since an earlier look at their board. */

import type { Rows } from "../../api/generated/types.ts";
import { idAt } from "./row.ts";

/** The ranks of rows, by their ids. */
export type Ranks = Readonly<Record<string, number>>;

export const ranksOf = (rows: Rows): Ranks =>
  Object.fromEntries(rows.rank.map((rank, index) => [idAt(rows, index), rank]));

/** Return how many places rows have won, by their ids; nothing of rows that stayed, and of those that are new. */
export const findMoves = (before: Ranks, after: Ranks): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(after)
      .map(([id, rank]) => [id, (before[id] ?? rank) - rank] as const)
      .filter(([, won]) => won !== 0),
  );
