import assert from "node:assert/strict";
import { test } from "node:test";

import { formatView, parseView, sortBy, toggleColumn } from "../src/api/view.ts";
import { limitView } from "../src/boards/rows/row.ts";
import { METRICS } from "./rows.ts";

const parse = (search: string) => parseView(search, METRICS);

test("a view can be read from its query", () => {
  for (const search of ["", "?board=level-1&sort=score.Time&dir=desc&q=a%26b&kind=model&from=300&cols=Time"]) {
    assert.equal(formatView(parse(search), METRICS), search);
  }
});

test("invalid values in a query are ignored", () => {
  const search = "?board=../x&sort=score.Nothing&dir=up&kind=cat&from=-2&cols=Nothing";
  assert.equal(formatView(parse(search), METRICS), "");
});

test("a search is as long as a name at most, as the API takes it", () => {
  assert.equal(parse(`?q=${"x".repeat(80)}`).query, "x".repeat(64));
});

test("a column is sorted best first, then the other way, from the first row", () => {
  const first = sortBy({ ...parse(""), from: 400 }, "score.Time", METRICS);
  assert.deepEqual([first.direction, first.from], ["asc", 1]);
  assert.equal(sortBy(first, "score.Time", METRICS).direction, "desc");
  assert.equal(sortBy(first, "score.Score", METRICS).direction, "desc");
});

test("the last column cannot be hidden, and all columns together are the default", () => {
  const single = parse("?cols=Time");
  assert.equal(toggleColumn(single, "Time", METRICS), single);
  assert.equal(toggleColumn(single, "Score", METRICS).columns, null);
});

test("a board whose rows the API selects is sorted by rank or metric only", () => {
  assert.deepEqual(limitView(parse("?sort=player&kind=human&q=a&from=9")), parse("?q=a&from=9"));
  assert.deepEqual(limitView(parse("?dir=desc")), parse(""));
  assert.deepEqual(limitView(parse("?sort=score.Time&dir=desc")), parse(""));
});
