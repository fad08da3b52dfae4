import assert from "node:assert/strict";
import { test } from "node:test";

import { extentOf, makeTicks, scaleLinear, stepPath, widen } from "../src/charts/shapes.ts";

test("a scale is linear, and maps a domain without width to the middle", () => {
  assert.equal(scaleLinear([0, 10], [100, 200])(2.5), 125);
  assert.equal(scaleLinear([0, 1], [100, 0])(1), 0);
  assert.equal(scaleLinear([5, 5], [0, 10])(5), 5);
});

test("ticks are round values within the interval", () => {
  assert.deepEqual(makeTicks([0, 100], 5), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(makeTicks([0.12, 0.31], 4), [0.15, 0.2, 0.25, 0.3]);
  assert.deepEqual(makeTicks([-0.3, 0.3], 3), [-0.2, 0, 0.2]);
  assert.deepEqual(makeTicks([7, 7], 3), [7]);
  assert.deepEqual(makeTicks([999.63, 999.94], 2), [999.7, 999.8, 999.9]);
  assert.ok(makeTicks([0, 1e300], 4).length <= 6);
});

test("intervals widen, even without width, and an empty extent is 0 to 1", () => {
  assert.deepEqual(extentOf([3, -1, 2]), [-1, 3]);
  assert.deepEqual(extentOf([]), [0, 1]);
  assert.deepEqual(widen([0, 100], 0.1), [-10, 110]);
  assert.deepEqual(widen([0, 0]), [-1, 1]);
});

test("best scores are drawn as steps to the right edge", () => {
  assert.equal(
    stepPath(
      [
        [0, 10],
        [5, 4.04],
      ],
      20,
    ),
    "M0 10H5V4H20",
  );
  assert.equal(stepPath([], 20), "");
});

test("a chart of the largest, the smallest and nearly equal numbers has an end", () => {
  const largest = Number.MAX_VALUE;
  assert.equal(scaleLinear([-largest, largest], [0, 100])(0), 50);
  assert.deepEqual(makeTicks([1e16, 1e16 + 2], 4).length <= 5, true);
  assert.ok(makeTicks([-largest, largest], 4).every(Number.isFinite));
  assert.ok(makeTicks([0, 5e-324], 4).every(Number.isFinite));
});
