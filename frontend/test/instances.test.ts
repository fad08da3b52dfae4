import assert from "node:assert/strict";
import { test } from "node:test";

import { describeInstance, formatLeft, windowOf } from "../src/boards/rows/instances.ts";

test("an id names a window, an instance of it, or neither", () => {
  assert.equal(windowOf("daily"), "daily");
  assert.equal(windowOf("level-1-weekly-2026-w48"), "level-1-weekly");
  for (const board of ["main", "level-1", "season-1", "daily-fun", "weekly-2026-11", "daily-2026-11"])
    assert.equal(windowOf(board), null, board);
});

test("instances have names", () => {
  const named = {
    "daily-2026-11-23": "23 November 2026",
    "level-1-daily-2026-12-31": "31 December 2026",
    "weekly-2026-w48": "Week 48 of 2026",
    "monthly-2026-12": "December 2026",
    daily: null,
  };
  for (const [board, name] of Object.entries(named)) assert.equal(describeInstance(board), name);
});

test("the clock is in the two largest units, and never says that nothing is left", () => {
  const left = (minutes: number) =>
    formatLeft("2026-11-24T00:00:00+01:00", Date.parse("2026-11-23T23:00:00Z") - minutes * 60_000);
  const texts = [192, 60, 59.5, 60 * 52, 60 * 24, 12, 0.3, -5].map(left);
  const last = "less than a minute";
  assert.deepEqual(texts, ["3 hrs 12 mins", "1 hr", "1 hr", "2 days 4 hrs", "1 day", "12 mins", last, last]);
});
