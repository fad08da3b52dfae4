/** How rows have moved: since this browser was here last, in the last minutes of an event, or with the final. */

import type { Head } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { looksOf } from "../../ui/hooks/storage.ts";
import { ranksOf, rowId, type FindMove } from "../rows/row.ts";
import { fetchCorrections, moveFrom } from "./corrections.tsx";
import { addLook, EVENT_MINUTES, MINUTE, type Look } from "./looks.ts";

/** Return what finds the moves of a board's rows, and keep in this browser that it has shown them. */
export async function findMoves(head: Head): Promise<FindMove> {
  if (head.final?.is_shown && head.board === MAIN) return findFinalMoves(head);
  const now = Date.now();
  const isEvent = !!(head.closes ?? head.window) && head.rows.at.some((at) => now - at < EVENT_MINUTES * MINUTE);
  const slot = looksOf(`${head.id} ${head.board}`);
  const looks = JSON.parse(slot.find() ?? "[]") as Look[];
  const [kept, base] = addLook(looks, { at: now, ranks: ranksOf(head.rows) }, isEvent);
  if (kept.at(-1) !== looks.at(-1)) slot.keep(JSON.stringify(kept));
  return ({ id, rank }) => {
    const before = base?.ranks[id] ?? rank;
    return before === rank
      ? null
      : {
          won: before - rank,
          text: Math.abs(before - rank),
          words: isEvent
            ? say("at rank {before} some minutes ago", { before })
            : say("at rank {before} when you were here last", { before }),
        };
  };
}

/** Each row of a final says its public rank too, whether it has moved or not. */
async function findFinalMoves(head: Head): Promise<FindMove> {
  const fetched = await fetchCorrections(head, new AbortController().signal);
  const final = fetched.kind === "ok" ? fetched.value.corrections.find((each) => each.final) : null;
  const ranks = new Map(final?.listed.map((row) => [rowId(row.player, row.label), row.rank_before]));
  return ({ id, rank }) => {
    const before = ranks.get(id);
    return before === undefined ? null : moveFrom(before, rank);
  };
}
