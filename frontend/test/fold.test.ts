/** The search on the page folds names as the service does: both read one table. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { findBoards } from "../src/benchmarks/search.ts";
import { fold } from "../src/ui/lib/fold.ts";

const NAMES = JSON.parse(
  readFileSync(new URL("../../tests/field/cases/folded.json", import.meta.url), "utf8"),
) as string[][];

test("spellings of a name are folded alike", () => {
  for (const spellings of NAMES) {
    assert.equal(new Set(spellings.map(fold)).size, 1, spellings.join(" "));
    assert.ok(fold(spellings[0] ?? "").startsWith(fold((spellings[1] ?? "").slice(0, 3))));
  }
});

test("a board is found by any spelling of its title", () => {
  const board = { id: "b", title: "Straße", summary: "", tags: [], updated_at: "", state: "open" };

  assert.equal(findBoards([board] as never, "STRASSE").length, 1);
});
