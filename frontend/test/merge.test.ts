import assert from "node:assert/strict";
import { test } from "node:test";

import { mergePages, type Change, type Changes, type Page } from "../src/boards/rows/pages.ts";
import { ranksOf, rowId } from "../src/boards/rows/row.ts";

type Row = NonNullable<Change["row"]>;
const ORDER = [
  ["Score", "higher"],
  ["Time", "lower"],
] as const;
const METRICS = ["Score", "Time", "Errors"];

const makeRow = (number: number, scores: Row["scores"], label?: string): Row => ({
  player: `p${number}`,
  name: `Player ${number}`,
  kind: "human",
  verified: false,
  ...(label === undefined ? {} : { label }),
  scores,
  submissions: 1,
  submission: `01a1fb00-0000-7000-8000-${String(number).padStart(12, "0")}`,
});

/** Return whether a row is before another, by the rule itself. */
function isBefore(a: Row, b: Row): boolean {
  const keys = ({ scores, submission }: Row): readonly (number | string)[] => [
    scores.Score === undefined ? Infinity : -scores.Score,
    scores.Time ?? Infinity,
    submission,
  ];
  const index = keys(a).findIndex((key, at) => key !== keys(b)[at]);
  return index >= 0 && (keys(a)[index] ?? 0) < (keys(b)[index] ?? 0);
}

const sort = (rows: readonly Row[]): readonly Row[] => [...rows].sort((a, b) => (isBefore(a, b) ? -1 : 1));

function makePage(rows: readonly Row[]): Page {
  return {
    player: rows.map((row) => row.player),
    name: rows.map((row) => row.name),
    kind: rows.map((row) => row.kind),
    verified: rows.map((row) => row.verified),
    ...(rows.some((row) => row.label !== undefined) ? { label: rows.map((row) => row.label ?? "") } : {}),
    scores: Object.fromEntries(METRICS.map((metric) => [metric, rows.map((row) => row.scores[metric] ?? null)])),
    submissions: rows.map((row) => row.submissions),
    submission: rows.map((row) => row.submission),
  };
}

const cutPages = (rows: readonly Row[], size: number): readonly Page[] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, page) =>
    makePage(rows.slice(page * size, (page + 1) * size)),
  );

test("pages and changes are the board itself, with its ranks and ties, in 300 random stories", () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
  const scores = (): Row["scores"] => ({
    ...(random(8) > 0 ? { Score: random(4) } : {}),
    ...(random(4) > 0 ? { Time: random(3) / 4 } : {}),
  });
  for (let story = 0; story < 300; story++) {
    const before = sort(Array.from({ length: random(40) }, (_, number) => makeRow(number, scores())));
    const now = new Map(before.map((row) => [row.player, row]));
    const changes: Record<string, Change> = {};
    for (let change = random(20); change > 0; change--) {
      const number = random(50);
      const row = random(4) > 0 ? { ...makeRow(number, scores()), submissions: 2 + change } : null;
      changes[`p${number}`] = { row };
      if (row) now.set(row.player, row);
      else now.delete(`p${number}`);
    }
    const expected = sort([...now.values()]);
    const isTied = (a: Row | undefined, b: Row): boolean =>
      a !== undefined && a.scores.Score === b.scores.Score && a.scores.Time === b.scores.Time;

    const rows = mergePages(cutPages(before, 1 + random(9)), changes, ORDER, METRICS);

    assert.deepEqual(
      rows.player,
      expected.map((row) => row.player),
    );
    assert.deepEqual(
      rows.submissions,
      expected.map((row) => row.submissions),
    );
    assert.deepEqual(
      rows.rank,
      expected.map((row) => 1 + expected.findIndex((other) => isTied(other, row))),
    );
    assert.deepEqual(
      rows.tied,
      expected.map((row) => expected.filter((other) => isTied(other, row)).length > 1),
    );
    assert.deepEqual(
      rows.scores.Time,
      expected.map((row) => row.scores.Time ?? null),
    );
    assert.deepEqual(
      rows.scores.Errors,
      expected.map(() => null),
    );
  }
});

test("a row of a label board is that of the player and the label", () => {
  const rows = [makeRow(1, { Score: 3 }, "a"), makeRow(1, { Score: 2 }, "b/c"), makeRow(1, { Score: 1 }, "")];
  const better = { ...makeRow(1, { Score: 4 }, "b/c"), submission: "01a1fb00-0000-7000-8000-000000000009" };
  const changes: Changes = { "p1/b%2Fc": { row: better }, "p1/": { row: null } };

  const merged = mergePages(cutPages(rows, 2), changes, ORDER, METRICS);

  assert.deepEqual(merged.label, ["b/c", "a"]);
  assert.deepEqual(ranksOf(merged), { "p1/b%2Fc": 1, "p1/a": 2 });
  assert.equal(rowId("p1", null), "p1");
  assert.equal(rowId("p1", ""), "p1/");
});

test("a row carries the time of its submission's id", () => {
  const row = { ...makeRow(1, { Score: 3 }), submission: "0193e4a4-5c00-7000-8000-000000000001" };

  assert.deepEqual(mergePages([makePage([row])], {}, ORDER, METRICS).at, [0x0193e4a45c00]);
});

test("a name of the prototype is no change", () => {
  const row = { ...makeRow(1, { Score: 3 }), player: "constructor" };

  assert.deepEqual(mergePages([makePage([row])], {}, ORDER, METRICS).player, ["constructor"]);
});
