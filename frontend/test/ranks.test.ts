/** Who stood where over time follows from when each got better. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { replayOrders } from "../src/charts/shapes.ts";

test("orders are those after each improvement that changes one", () => {
  const courses = [[[1, 5], [4, 9]], [[2, 7], [3, 8]]] as const; // prettier-ignore
  assert.deepEqual(replayOrders(courses, "higher"), [
    { at: 1, order: [0] },
    { at: 2, order: [1, 0] },
    { at: 4, order: [0, 1] },
  ]);
});

test("of equal values the order of today is kept, and lower can be better", () => {
  assert.deepEqual(replayOrders([[[2, 5]], [[1, 5]]], "lower")?.at(-1)?.order, [0, 1]);
  assert.deepEqual(replayOrders([[[1, 4]], [[2, 5]]], "lower")?.at(-1)?.order, [0, 1]);
});

test("there are none where improvements do not explain how players stand", () => {
  assert.equal(replayOrders([[[1, 5]], [[2, 7]]], "higher"), null);
  assert.equal(replayOrders([[[1, 5]], []], "higher"), null);
});
