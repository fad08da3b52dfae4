import assert from "node:assert/strict";
import { test } from "node:test";

import {
  follow,
  heightOf,
  MAX_PIXELS,
  placeOf,
  rowsAt,
  settle,
  type Place,
  type Sizes,
} from "../src/boards/rows/window.ts";

const SMALL: Sizes = { count: 10_000, row: 56, window: 600 };
const LARGE: Sizes = { count: 1_000_000, row: 56, window: 600 };
const firstOf = (place: Place, sizes: Sizes): number => rowsAt(place, sizes).first;

test("a table that fits scrolls by pixels", () => {
  assert.equal(heightOf(SMALL), 560_000);
  assert.deepEqual(placeOf(5_000, SMALL), { top: 280_000, shift: 0 });
  assert.deepEqual(follow({ top: 0, shift: 0 }, 123, SMALL), { top: 123, shift: 0 });
  assert.deepEqual(rowsAt({ top: 5_600, shift: 0 }, SMALL), { first: 100, start: 92, end: 120 });
});

test("every row of a million can be the first in the window, below the limit of browsers", () => {
  assert.equal(heightOf(LARGE), MAX_PIXELS);
  for (const index of [0, 1, 2, 499_999, 500_000, 999_980]) {
    const place = placeOf(index, LARGE);
    assert.equal(firstOf(place, LARGE), index);
    assert.ok(place.top >= 0 && place.top <= MAX_PIXELS - LARGE.window);
  }
  const last = placeOf(999_999, LARGE);
  assert.equal(last.top, MAX_PIXELS - LARGE.window);
  assert.equal(rowsAt(last, LARGE).end, 1_000_000);
});

test("a small step moves a million rows by as many pixels, and a drag of the bar in proportion", () => {
  let place = placeOf(500_000, LARGE);
  place = follow(place, place.top + 112, LARGE);
  assert.equal(firstOf(place, LARGE), 500_002);
  place = follow(place, 0, LARGE);
  assert.equal(firstOf(place, LARGE), 0);
  place = follow(place, MAX_PIXELS - LARGE.window, LARGE);
  assert.equal(rowsAt(place, LARGE).end, 1_000_000);
  assert.equal(firstOf(follow(place, (MAX_PIXELS - LARGE.window) / 2, LARGE), LARGE), 499_994);
});

test("small steps up and down pass every row once, whatever the scroll bar says", () => {
  for (const step of [-100, 100]) {
    let place = placeOf(step < 0 ? 900 : 999_000, LARGE);
    let first = firstOf(place, LARGE);
    for (let count = 0; count < 800; count++) {
      place = follow(place, Math.max(0, Math.min(MAX_PIXELS - LARGE.window, place.top + step)), LARGE);
      const now = firstOf(place, LARGE);
      assert.ok(Math.abs(now - first) <= 2, `${first} to ${now}`);
      first = now;
    }
    assert.equal(first, step < 0 ? 0 : firstOf(placeOf(999_999, LARGE), LARGE));
  }
});

test("a rest moves the bar and no row", () => {
  let place = placeOf(500_000, LARGE);
  for (let count = 0; count < 50; count++) place = follow(place, place.top + 300, LARGE);
  const settled = settle(place, LARGE);
  assert.equal(firstOf(settled, LARGE), firstOf(place, LARGE));
  assert.deepEqual(settled, placeOf((place.top - place.shift) / LARGE.row, LARGE));
});

test("the rows that are drawn are within the height of the table, wherever it is scrolled to", () => {
  for (const index of [0, 3, 21, 80, 500, 500_000, 999_900, 999_970, 999_985, 999_999]) {
    const { top, shift } = placeOf(index, LARGE);
    const { start, end } = rowsAt({ top, shift }, LARGE);
    assert.ok(start * LARGE.row + shift >= 0, String(index));
    assert.ok(end * LARGE.row + shift <= MAX_PIXELS, String(index));
    assert.ok(end * LARGE.row + shift >= top + LARGE.window, String(index));
  }
});

test("an empty table has no rows to draw", () => {
  const empty = { count: 0, row: 56, window: 600 };
  assert.deepEqual(rowsAt(placeOf(0, empty), empty), { first: 0, start: 0, end: 0 });
});
