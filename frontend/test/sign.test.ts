/** The sign of a player is the same wherever and whenever it is drawn: it follows from the id alone. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { makeSign } from "../src/ui/lib/sign.ts";

const SIGNS = [
  ["ada", 25, 0.54, 0, 2.2, "M 0.96 -9.35 A9.4 9.4 0 0 1 5.93 -7.29 ", 8],
  ["guest-809e482254b56e638b9b", 300, 0.47, 3.1, 0, "M 0.00 -9.30 ", 4],
  ["tern-7b", 300, 0.47, 3.1, 0, "M 4.85 -8.40 L 5.31 -4.56 0.60 -1.04 1.29 -6.88 Z ", 6],
  ["安田", 225, 0.78, 3.1, 0, "M 0.00 -9.60 Q 4.82 -5.60 ", 8], // four leaves, and four dots between them
] as const;

test("an id has its colour, arms, hole and dot", () => {
  for (const [player, hue, lightness, hole, dot, start, parts] of SIGNS) {
    const { path, ...sign } = makeSign(player);
    assert.deepEqual(sign, { hue, lightness, hole, dot }, player);
    assert.ok(path.startsWith(start), `${player}: ${path}`);
    assert.equal(path.split("M").length - 1, parts, player);
  }
});

test("no sign lacks a point, and forty players have many signs", () => {
  const signs = Array.from({ length: 40 }, (_, index) => makeSign(`player-${index}`));
  for (const { path, hue, hole, dot } of signs) {
    assert.match(path, /^[-MQALZ\d. ]+$/);
    for (const value of [hue, hole, dot]) assert.equal(typeof value, "number");
  }
  assert.ok(new Set(signs.map(({ path, hue }) => path + hue)).size >= 35);
});
