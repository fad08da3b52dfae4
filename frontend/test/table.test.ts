import assert from "node:assert/strict";
import { test } from "node:test";

import type { Head, Metric } from "../src/api/generated/types.ts";
import { parseView, type View } from "../src/api/view.ts";
import { findRow, hasMedal, isLarge, needsAllRows, rowAt } from "../src/boards/rows/row.ts";
import { selectRows } from "../src/boards/rows/select.ts";
import { formatGap, shapeOf } from "../src/boards/rows/shape.ts";
import { makeHead, makeRows, METRICS } from "./rows.ts";

const rows = makeRows([
  ["Ada", 1, 3],
  ["bob", 2, null],
  ["Émile", 2, 1],
  ["Zoë 10", 4, 2],
  ["Zoë 9", 5, null],
]);
const view = (search: string): View => parseView(search, METRICS);
const namesOf = (search: string): readonly string[] =>
  selectRows(rows, view(search), METRICS).map((index) => rows.name[index] ?? "");

test("the plain view is the rank order", () => {
  assert.deepEqual(namesOf(""), ["Ada", "bob", "Émile", "Zoë 10", "Zoë 9"]);
});

test("missing values are last in both directions, in rank order", () => {
  assert.deepEqual(namesOf("?sort=score.Time"), ["Émile", "Zoë 10", "Ada", "bob", "Zoë 9"]);
  assert.deepEqual(namesOf("?sort=score.Time&dir=desc"), ["Ada", "Zoë 10", "Émile", "bob", "Zoë 9"]);
});

test("equal values stay in rank order in both directions", () => {
  assert.deepEqual(namesOf("?sort=score.Score").slice(1, 3), ["bob", "Émile"]);
  assert.deepEqual(namesOf("?sort=score.Score&dir=asc").slice(2, 4), ["bob", "Émile"]);
});

test("names are sorted without case and accents, and numbers by value", () => {
  assert.deepEqual(namesOf("?sort=player"), ["Ada", "bob", "Émile", "Zoë 9", "Zoë 10"]);
});

test("a search ignores case, accents and width", () => {
  assert.deepEqual(namesOf("?q=EMILE"), ["Émile"]);
  assert.deepEqual(namesOf("?q=ｚｏｅ"), ["Zoë 10", "Zoë 9"]);
  assert.deepEqual(namesOf("?q=nobody"), []);
});

test("a filter by kind changes no rank", () => {
  const ranks = selectRows(rows, view("?kind=model"), METRICS).map((index) => rowAt(rows, index).rank);
  assert.deepEqual(ranks, [2, 4]);
});

test("all rows are needed for a search, filter or other order only", () => {
  const head = makeHead(
    makeRows(Array.from({ length: 100 }, (_, index) => [`n${index}`, index + 1, 1] as const)),
    10_000,
  );
  assert.equal(needsAllRows(head, view("?from=60")), false);
  for (const search of ["?q=a", "?kind=human", "?sort=player", "?dir=desc"]) {
    assert.equal(needsAllRows(head, view(search)), true, search);
  }
  assert.equal(needsAllRows(makeHead(rows, 5), view("?q=a")), false);
});

test("rows of the first three ranks have a medal unless more than three share it", () => {
  const medals = (head: Head) => head.rows.rank.map((_, index) => hasMedal(head, rowAt(head.rows, index)));
  const shared = makeRows([1, 2, 2, 2, 2].map((rank, index) => [`Player ${index}`, rank, 1]));
  assert.deepEqual(medals(makeHead(rows, 5)), [true, true, true, false, false]);
  assert.deepEqual(medals(makeHead(shared, 5)), [true, false, false, false, false]);
});

test("a player without a row is not found", () => {
  assert.equal(findRow(rows, "nobody"), undefined);
});

test("a board is large beyond 20,000 rows", () => {
  assert.equal(isLarge(makeHead(rows, 20_000)), false);
  assert.equal(isLarge(makeHead(rows, 20_001)), true);
});

test("a row of a label is found by its id, the first row of a player by the player, both by the label's text", () => {
  const labelled = { ...rows, player: ["a", "b", "a", "b", "c"], label: ["x", "x", "y, z", "", "x"] };
  assert.equal(findRow(labelled, "a/y%2C%20z")?.rank, rows.rank[2]);
  assert.equal(findRow(labelled, "b")?.label, "x");
  assert.equal(findRow(labelled, "b/")?.label, "");
  assert.equal(findRow(labelled, "c/y"), undefined);
  assert.deepEqual(selectRows(labelled, view("?q=Y"), METRICS), [2]);
});

test("bars end where the pages say for the primary metric, and at the head's own rows for the others", () => {
  const endOf = (end: number | null, metric?: Metric) =>
    shapeOf({ ...makeHead(rows, 9), pages: { end } } as unknown as Head, rows, metric)?.end;

  assert.deepEqual([endOf(40), endOf(null), endOf(99.5)], [40, 95, 95]);
  assert.deepEqual([endOf(40, METRICS[1]), endOf(null, METRICS[1])], [3, 3]);
});

test("a gap is that of the digits that are shown, and has the sign of what changed", () => {
  const metric = { ...METRICS[0]!, decimals: 0 };
  const gap = (value: number, best: number) => formatGap({ metric, best, end: 0 }, value);
  assert.equal(gap(944.6, 972.5), "−28"); // 945 and 973 are shown
  assert.equal(gap(973.4, 945), "+28");
  assert.equal(gap(5, 5), "");
  assert.equal(gap(5.1, 5.2), "0");
  assert.equal(formatGap({ metric: { ...metric, decimals: null }, best: 0.12341, end: 0 }, 0.12345), "+0.0001");
});
