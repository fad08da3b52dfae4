/** What a wall says of the last moments: who took the lead, and which rows moved. */

import type { Head, Rows } from "../../api/generated/types.ts";
import { idAt, indexOf, ranksOf, type Ranks } from "../rows/row.ts";

const MOVED_MILLISECONDS = 8_000;
const LEAD_MILLISECONDS = 12_000;

export interface News {
  readonly board: string;
  /** The row that led alone last. */
  readonly leader: string | null;
  /** The places that rows have won, by their ids, and until when that is shown. */
  readonly moved: ReadonlyMap<string, { readonly won: number; readonly until: number }>;
  /** Who took the lead from whom, and until when that is shown. */
  readonly lead: { readonly to: string; readonly from: string; readonly until: number } | null;
}

/** Return how many places rows have won, by their ids; nothing of rows that stayed, and of those that are new. */
export const findMoves = (before: Ranks, after: Ranks): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(after)
      .map(([id, rank]) => [id, (before[id] ?? rank) - rank] as const)
      .filter(([, won]) => won !== 0),
  );

const leaderOf = (rows: Rows): string | null => ((rows.tied[0] ?? true) ? null : idAt(rows, 0));

/** Return what was shown of a board's news and still holds, with what has changed from one head to the next. */
export function addNews(news: News | null, before: Head | null, after: Head, now: number): News {
  const { board, rows } = after;
  const old = news?.board === board ? news : { board, leader: null, moved: new Map() as News["moved"], lead: null };
  const was = before?.board === board ? before.rows : rows;
  const moved = new Map([...old.moved].filter(([, { until }]) => until > now));
  for (const [id, step] of findMoves(ranksOf(was), ranksOf(rows))) {
    const shown = moved.get(id);
    const won = (shown?.won ?? 0) + step;
    // Others push a row all the time: that alone shows its move no longer.
    const until = shown && step < 0 ? shown.until : now + MOVED_MILLISECONDS;
    if (won === 0) moved.delete(id);
    else moved.set(id, { won, until });
  }
  const leader = leaderOf(rows) ?? old.leader;
  const from = old.leader ?? leaderOf(was);
  const isTaken = from !== null && leader !== from && indexOf(rows, from) >= 0;
  const held = old.lead && old.lead.until > now && old.lead.to === leaderOf(rows) ? old.lead : null;
  return {
    ...{ board, leader, moved },
    lead: isTaken && leader !== null ? { to: leader, from, until: now + LEAD_MILLISECONDS } : held,
  };
}
