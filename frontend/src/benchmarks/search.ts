/** The search on the front page. */

import type { IndexEntry } from "../api/generated/types.ts";
import { fold } from "../ui/lib/fold.ts";

const MAX_QUERY = 100;

/** Return the boards whose title, summary or tags contain all words of a query, open ones first, then the latest. */
export function findBoards(boards: readonly IndexEntry[], query: string): readonly IndexEntry[] {
  const words = fold(query.slice(0, MAX_QUERY)).split(/\s+/).filter(Boolean);
  const matches = (board: IndexEntry): boolean => {
    const text = fold([board.id, board.title, board.summary, ...board.tags].join(" "));
    return words.every((word) => text.includes(word));
  };
  const updatedAt = (board: IndexEntry): number => Date.parse(board.updated_at) || 0;
  const isOpen = (board: IndexEntry): number => Number(board.state === "open");
  return boards
    .filter(matches)
    .sort((a, b) => isOpen(b) - isOpen(a) || updatedAt(b) - updatedAt(a) || a.id.localeCompare(b.id));
}
