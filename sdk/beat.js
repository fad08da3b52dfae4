/*! When an open board asks again: one rule for the site's pages and <laurel-board>. Apache-2.0. */

/** After so many answers in a row without a change the next pause begins. They are counted, because clocks jump. */
export const STEPS = [
  [30, 2], // a minute after a change
  [45, 4], // one more
  [60, 8], // two more
  [Infinity, 15],
];
/** While a result of this browser is expected: its row is there a second after caches have it. */
export const OWN_SECONDS = 1;
/** No head makes a page slower. */
export const LONGEST_SECONDS = 60;
/** The player's own place is asked for when the board moved, but no more often. */
export const PLACE_SECONDS = 60;

/**
 * Return after how many seconds to ask again.
 *
 * @param unchanged How many answers in a row showed nothing new.
 * @param named What the head asks for while its board moves all the time.
 * @param isExpected Whether a result of this browser is not on the board yet.
 */
export function nextPause(unchanged, named = 0, isExpected = false) {
  if (isExpected) return OWN_SECONDS;
  const [, pause] = STEPS.find(([until]) => unchanged < until);
  return Math.max(pause, Math.min(Number(named) || 0, LONGEST_SECONDS));
}
