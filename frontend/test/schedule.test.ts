/** When an open page asks again: the rule that the site and <laurel-board> share. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { nextPause, OWN_SECONDS, STEPS } from "../../sdk/beat.js";

const MINUTE = 60;

/** Return the pauses of a page whose board stays still for so many answers. */
const pauses = (count: number, named = 0): number[] =>
  Array.from({ length: count }, (_, index) => nextPause(index, named));

test("a board is asked for every 2 s for a minute after a change, then every 4, 8 and 15 s", () => {
  const moments = new Map<number, number>();
  let now = 0;
  for (const pause of pauses(100)) {
    if (!moments.has(pause)) moments.set(pause, now);
    now += pause;
  }
  assert.deepEqual(
    [...moments],
    [
      [2, 0],
      [4, MINUTE],
      [8, 2 * MINUTE],
      [15, 4 * MINUTE],
    ],
  );
});

test("the pauses never become shorter while nothing changes, and never longer than 15 s", () => {
  const all = pauses(10_000);
  assert.deepEqual(
    all.toSorted((a, b) => a - b),
    all,
  );
  assert.equal(all.at(-1), 15);
  assert.equal(STEPS.at(-1)?.[0], Infinity);
});

test("a head that names a pause slows a page down, but never makes it faster nor stops it", () => {
  assert.deepEqual(
    [0.03, 2, 7.5, 20].map((named) => nextPause(0, named)),
    [2, 2, 7.5, 20],
  );
  assert.equal(nextPause(1000, 0.03), 15);
  assert.equal(nextPause(0, 1e9), 60);
  for (const broken of [undefined, null, NaN, -5, "soon"]) assert.equal(nextPause(0, broken as never), 2);
});

test("one's own result is asked for every second, on a quiet and on a busy board", () => {
  assert.deepEqual([nextPause(0, 0, true), nextPause(5000, 20, true)], [OWN_SECONDS, OWN_SECONDS]);
  // Caches keep a head for two seconds.
  assert.ok(OWN_SECONDS + 2 <= 3);
});
