/** Where a rank is among the others. */

/** Tells what share of the others a rank is ahead of, in whole per cent; null where there are no others. */
export function percentAhead(rank: number, players: number, sharers = 1): number | null {
  if (players < 2) return null;
  return Math.floor((100 * (players - rank - (sharers - 1))) / (players - 1));
}
