/** ▲▼ count from the visit before, and in an event from ten minutes ago. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addLook, type Look } from "../src/boards/beside/looks.ts";

const MINUTE = 60_000;
/** Look at a board at these minutes; return from which of them moves are counted at the last one, and those kept. */
function lookAt(minutes: readonly number[], isEvent: boolean) {
  let looks: readonly Look[] = [];
  let base: Look | null = null;
  for (const minute of minutes) [looks, base] = addLook(looks, { at: minute * MINUTE, ranks: {} }, isEvent);
  return { base: base && base.at / MINUTE, kept: looks.map(({ at }) => at / MINUTE) };
}

test("a first visit counts from nothing, a later one from the last look of the one before, until the next", () => {
  assert.deepEqual(lookAt([0, 5, 10], false), { base: null, kept: [10] });
  assert.deepEqual(lookAt([0, 5, 60, 70, 80], false), { base: 5, kept: [5, 80] });
  assert.deepEqual(lookAt([0, 60, 70, 200], false), { base: 70, kept: [70, 200] });
});

test("an event counts from ten minutes ago, or from the first look since, and keeps one a minute", () => {
  const minutes = Array.from({ length: 26 }, (_, minute) => minute);
  assert.deepEqual(lookAt(minutes, true), { base: 15, kept: minutes.slice(15) });
  assert.deepEqual(lookAt([0, 0.2, 0.5, 3], true), { base: 0, kept: [0, 3] });
  assert.deepEqual(lookAt([0, 12], true), { base: 0, kept: [0, 12] });
  assert.deepEqual(lookAt([0, 100], true), { base: null, kept: [100] });
});
