import assert from "node:assert/strict";
import { test } from "node:test";

import { formatView, parseView, sortBy, toggleColumn, togglePick } from "../src/lib/view.ts";
import { METRICS } from "./rows.ts";

const parse = (search: string) => parseView(search, METRICS);

test("a view can be read from its query", () => {
  for (const search of ["", "?sort=score.Time&dir=desc&q=a%26b&kind=model&page=3&cols=Time&pick=a,b"]) {
    assert.equal(formatView(parse(search), METRICS), search);
  }
});

test("invalid values in a query are ignored", () => {
  const search = "?sort=score.Nothing&dir=up&kind=cat&page=-2&cols=Nothing&pick=UPPER,%3Cb%3E";
  assert.equal(formatView(parse(search), METRICS), "");
});

test("there are at most five picks, each once", () => {
  assert.deepEqual(parse("?pick=a,b,a,c,d,e,f").picks, ["a", "b", "c", "d", "e"]);
  const full = parse("?pick=a,b,c,d,e");
  assert.deepEqual(togglePick(full, "f").picks, full.picks);
  assert.deepEqual(togglePick(full, "b").picks, ["a", "c", "d", "e"]);
});

test("a column is sorted best first, then the other way, from the first page", () => {
  const first = sortBy({ ...parse(""), page: 4 }, "score.Time", METRICS);
  assert.deepEqual([first.direction, first.page], ["asc", 1]);
  assert.equal(sortBy(first, "score.Time", METRICS).direction, "desc");
  assert.equal(sortBy(first, "score.Score", METRICS).direction, "desc");
});

test("the last column cannot be hidden, and all columns together are the default", () => {
  const single = parse("?cols=Time");
  assert.equal(toggleColumn(single, "Time", METRICS), single);
  assert.equal(toggleColumn(single, "Score", METRICS).columns, null);
});
