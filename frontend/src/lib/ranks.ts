/** Ranks in words. The board does without them. */

import type { SubmissionView } from "../api/generated/types.ts";
import { formatCount, NAMELESS } from "./format.ts";

/** Return a rank in words: `2nd`, `11th`; a shared one as `shared 2nd`. */
export function spellRank(rank: number, tied: boolean): string {
  const tens = rank % 100;
  const ending = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][rank % 10] ?? "th");
  return `${tied ? "shared " : ""}${formatCount(rank)}${ending}`;
}

/** Return how many per cent of the other players a rank is ahead of; null if there are no others. */
export function percentAhead(rank: number, players: number, sharers = 1): number | null {
  if (players < 2) return null;
  return Math.floor((100 * (players - rank - (sharers - 1))) / (players - 1));
}

/** A submission of this age that still has no rank will get none soon. */
const RECENT_MILLISECONDS = 60 * 60_000;

/** Return whether the board is expected to show a scored submission soon: it does so a moment after the scores. */
export const isRankDue = (view: SubmissionView, now: number): boolean =>
  view.outcome === "scored" &&
  view.player !== NAMELESS &&
  view.rank == null &&
  !view.in_review &&
  !view.withdrawn &&
  now - Date.parse(view.submitted_at) < RECENT_MILLISECONDS;
