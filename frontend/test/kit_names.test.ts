/** Names that people type: the kit and the pages take and reject what the API does, by the table of tests/field. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { readName } from "../../sdk/names.js";
import { checkName } from "../src/ui/lib/checks.ts";

interface Row {
  readonly name: string;
  readonly shown: string | null;
  readonly fault: string | null;
  /** Who alone can tell. */
  readonly only?: "site";
}

const TABLE = new URL("../../tests/field/cases/kit-refused-name/names.json", import.meta.url);
const ROWS = JSON.parse(readFileSync(TABLE, "utf8")) as readonly Row[];

test("a name of the table is shown as it says, or has its fault in words", () => {
  for (const { name, shown, fault, only } of ROWS) {
    const read = readName(name);
    const expected = only === "site" ? null : fault;
    assert.equal(read.fault, expected, JSON.stringify(name));
    if (shown !== null) assert.equal(read.shown, shown);
    assert.equal(read.message === null, expected === null);
    assert.equal(checkName(name) === null, expected === null || name.trim() === "", "what the pages say");
    assert.notEqual(checkName(name), read.message ?? "", "the pages have sentences of their own");
  }
});

test("a label may say what no guest is named", () => {
  assert.deepEqual(readName("official ·2 ", { isLabel: true }), { shown: "official ·2", fault: null, message: null });
  assert.equal(readName("\u202e", { isLabel: true }).fault, "invisible");
});
