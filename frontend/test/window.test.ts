import assert from "node:assert/strict";
import { test } from "node:test";

import { heightOf, MAX_PIXELS, placeOf, rowsAt, settle, type Place, type Sizes } from "../src/boards/rows/window.ts";

const SMALL: Sizes = { count: 10_000, row: 56, window: 600 };
const LARGE: Sizes = { count: 1_000_000, row: 56, window: 600 };
const firstOf = (place: Place, sizes: Sizes): number => rowsAt(place, sizes).first;

test("a table that fits scrolls by pixels", () => {
  assert.equal(heightOf(SMALL), 560_000);
  assert.deepEqual(placeOf(5_000, SMALL), { base: 0, top: 280_000 });
  assert.deepEqual(rowsAt({ base: 0, top: 5_600 }, SMALL), { first: 100, start: 92, end: 120 });
  assert.deepEqual(settle({ base: 0, top: 5_601 }, SMALL), { base: 0, top: 5_601 });
});

test("every row of a million can be the first in the window, below the limit of browsers", () => {
  assert.ok(heightOf(LARGE) <= MAX_PIXELS);
  for (const index of [0, 1, 2, 133_928, 499_999, 500_000, 999_980]) {
    const place = placeOf(index, LARGE);
    assert.equal(firstOf(place, LARGE), index);
    assert.ok(place.top >= 0 && place.top <= heightOf(LARGE) - LARGE.window);
  }
  const last = placeOf(999_999, LARGE);
  assert.equal(last.top, heightOf(LARGE) - LARGE.window);
  assert.equal(rowsAt(last, LARGE).end, 1_000_000);
});

test("a rest at an end of what the scroll bar passes moves the bar and no row, and leads on", () => {
  let place = placeOf(500_000, LARGE);
  let first = 500_000;
  for (let count = 0; count < 9; count++) {
    place = { ...place, top: heightOf(LARGE) - LARGE.window - 28 };
    const settled = settle(place, LARGE);
    assert.equal(firstOf(settled, LARGE), firstOf(place, LARGE));
    assert.equal(Math.abs(settled.top - place.top) % LARGE.row, 0);
    assert.ok(count > 2 || firstOf(settled, LARGE) > first + 100_000);
    [place, first] = [settled, firstOf(settled, LARGE)];
  }
  assert.equal(rowsAt(place, LARGE).end, 1_000_000);
});

test("the rows that are drawn are within the height of the table, wherever it is scrolled to", () => {
  for (const index of [0, 3, 21, 80, 500, 500_000, 999_900, 999_970, 999_985, 999_999]) {
    const place = placeOf(index, LARGE);
    const { start, end } = rowsAt(place, LARGE);
    assert.ok(start >= place.base, String(index));
    assert.ok((end - place.base) * LARGE.row <= heightOf(LARGE), String(index));
    assert.ok((end - place.base) * LARGE.row >= place.top + LARGE.window, String(index));
  }
});

test("an empty table has no rows to draw", () => {
  const empty = { count: 0, row: 56, window: 600 };
  assert.deepEqual(rowsAt(placeOf(0, empty), empty), { first: 0, start: 0, end: 0 });
});
