import assert from "node:assert/strict";
import { test } from "node:test";

import { scaleLinear, stepPath, widen } from "../src/charts/shapes.ts";

test("a scale is linear, and maps a domain without width to the middle", () => {
  assert.equal(scaleLinear([0, 10], [100, 200])(2.5), 125);
  assert.equal(scaleLinear([0, 1], [100, 0])(1), 0);
  assert.equal(scaleLinear([5, 5], [0, 10])(5), 5);
});

test("intervals widen, even without width", () => {
  assert.deepEqual(widen([0, 100], 0.1), [-10, 110]);
  assert.deepEqual(widen([0, 0], 0.1), [-1, 1]);
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

test("the largest numbers have a scale", () => {
  assert.equal(scaleLinear([-Number.MAX_VALUE, Number.MAX_VALUE], [0, 100])(0), 50);
});
