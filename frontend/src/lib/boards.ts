/** The cards of the front page: which, and in which order. */

import type { IndexEntry } from "../api/generated/snapshots.ts";

const MAX_QUERY = 100;

/** Gives the boards that a search finds in title, summary or tags, the most recently active first. */
export function findBoards(boards: readonly IndexEntry[], query: string): readonly IndexEntry[] {
  const words = query.slice(0, MAX_QUERY).toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (board: IndexEntry): boolean => {
    const text = [board.id, board.title, board.summary, ...board.tags].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const order = (board: IndexEntry): number => Date.parse(board.updated_at) || 0;
  return boards.filter(matches).sort((a, b) => order(b) - order(a) || a.id.localeCompare(b.id));
}
