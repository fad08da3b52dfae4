/** Delays between requests. When an open board asks again is in sdk/beat.js, which pages of games load too. */

const FIRST_RETRY_SECONDS = 2;
const LAST_RETRY_SECONDS = 120;

/** Return the delay after failures in a row, in seconds. It doubles, half of it at random, so that clients spread out. */
export function retryDelay(failures: number, random: number): number {
  const longest = Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (failures - 1));
  return longest / 2 + (longest / 2) * random;
}
