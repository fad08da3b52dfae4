/** Delays between requests. */

/** Between two requests for a head. Its cache adds at most two seconds. */
export const HEAD_SECONDS = 2;
const FIRST_RETRY_SECONDS = 2;
const LAST_RETRY_SECONDS = 120;
const STATUS_STEPS: readonly (readonly [untilSeconds: number, everySeconds: number])[] = [
  [30, 2],
  [120, 5],
  [Infinity, 30],
];

/** Return the delay after failures in a row, in seconds. It doubles, half of it at random, so that clients spread out. */
export function retryDelay(failures: number, random: number): number {
  const longest = Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (failures - 1));
  return longest / 2 + (longest / 2) * random;
}

/** Return the delay before the next request for a submission without an outcome, in seconds: 2, then 5, then 30. */
export function statusDelay(waitedSeconds: number): number {
  return STATUS_STEPS.find(([until]) => waitedSeconds < until)?.[1] ?? 30;
}
