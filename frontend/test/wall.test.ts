/** What a wall says of the last moments agrees with the heads that it was shown. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Head } from "../src/api/generated/types.ts";
import { findLead, ranksOf } from "../src/boards/rows/row.ts";
import { addNews, findMoves } from "../src/boards/wall/news.ts";
import { makeHead, makeRows } from "./rows.ts";

/** Return a head whose players stand in an order, each with a rank of its own unless the first two share one. */
function stand(order: string, tied = false): Head {
  const names = [...order];
  const rows = makeRows(names.map((name, index) => [name, tied && index < 2 ? 1 : index + 1, null]));
  return makeHead({ ...rows, player: names }, names.length);
}

test("places are won and lost; a new row has moved nowhere", () => {
  const moves = findMoves(ranksOf(stand("abcd").rows), ranksOf(stand("cabed").rows));
  assert.deepEqual(Object.fromEntries(moves), { c: 2, a: -1, b: -1, d: -1 });
});

test("the first head is no news", () => {
  const news = addNews(null, null, stand("ab"), 0);
  assert.equal(news.lead, null);
  assert.equal(news.moved.size, 0);
});

test("who takes the lead is named for twelve seconds, and moves for eight", () => {
  const news = addNews(addNews(null, null, stand("abc"), 0), stand("abc"), stand("cab"), 0);
  assert.deepEqual(news.lead, { to: "c", from: "a", until: 12_000 });
  assert.deepEqual([...news.moved.keys()].sort(), ["a", "b", "c"]);
  const later = addNews(news, stand("cab"), stand("cab"), 8_001);
  assert.equal(later.moved.size, 0);
  assert.equal(later.lead?.to, "c");
  assert.equal(addNews(later, stand("cab"), stand("cab"), 12_001).lead, null);
});

test("a lead that is taken back at once is said of the two that are shown", () => {
  const first = addNews(addNews(null, null, stand("ab"), 0), stand("ab"), stand("ba"), 0);
  const second = addNews(first, stand("ba"), stand("ab"), 1_000);
  assert.deepEqual(second.lead, { to: "a", from: "b", until: 13_000 });
  assert.equal(second.moved.size, 0);
});

test("a row that others push has no longer mark", () => {
  const first = addNews(addNews(null, null, stand("abcd"), 0), stand("abcd"), stand("bcad"), 0);
  const second = addNews(first, stand("bcad"), stand("dbca"), 5_000);
  assert.deepEqual(second.moved.get("a"), { won: -3, until: 8_000 });
  assert.deepEqual(second.moved.get("d"), { won: 3, until: 13_000 });
});

test("who is gone, or shares the first rank, is not named", () => {
  const news = addNews(null, null, stand("abc"), 0);
  assert.equal(addNews(news, stand("abc"), stand("bc"), 0).lead, null);
  const shared = addNews(news, stand("abc"), stand("bac", true), 0);
  assert.equal(shared.lead, null);
  assert.deepEqual(addNews(shared, stand("bac", true), stand("bac"), 0).lead, { to: "b", from: "a", until: 12_000 });
});

test("another board has no news of the one before", () => {
  const news = addNews(addNews(null, null, stand("ab"), 0), stand("ab"), stand("ba"), 0);
  const other = { ...stand("ab"), board: "level-1" };
  assert.deepEqual(addNews(news, stand("ba"), other, 0).lead, null);
});

test("a lead has a beginning only where the records say it", () => {
  const head = (steps: string, extra: Partial<Head> = {}): Head => ({
    ...stand("ab"),
    ranking: { keep: "best" } as Head["ranking"],
    improvements: { steps: [...steps].map((player, at) => [at, at, player, ""] as const), total: steps.length },
    ...extra,
  });
  const since = (shown: Head): number | null => findLead(shown)?.at ?? null;
  assert.equal(since(head("abaa")), 2);
  assert.equal(since(head("aa")), 0);
  assert.equal(since(head("ab")), null);
  assert.equal(since(head("")), null);
  assert.equal(since(head("ba", { ranking: { keep: "latest" } as Head["ranking"] })), null);
  assert.equal(since(head("aa", { improvements: { steps: [[5, 1, "a", ""]], total: 9 } })), null);
  assert.equal(since({ ...head("ba"), rows: stand("ab", true).rows }), null);
});
