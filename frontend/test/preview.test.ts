/** What a file holds, before it is sent. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { ResultFormatName } from "../src/api/generated/types.ts";
import { previewFile } from "../src/submissions/submit/preview.ts";

const preview = (text: string, format: ResultFormatName = "csv") =>
  previewFile(new TextEncoder().encode(text).buffer, format) ?? assert.fail("no preview");
const faultsOf = (text: string, format: ResultFormatName = "csv") => preview(text, format).faults;

test("a sound table has its first rows, and no fault", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index},"a ""b"", ${index}\r\nc"\r\n`).join("");
  const { rows, count, faults } = preview(`id,text\r\n${lines}\r\n`);

  assert.deepEqual(rows.slice(0, 2), [
    ["id", "text"],
    ["0", 'a "b", 0\r\nc'],
  ]);
  assert.deepEqual([rows.length, count, faults], [6, 21, []]);
  assert.deepEqual(preview("a\tb,c\n1\t2", "tsv").rows, [
    ["a", "b,c"],
    ["1", "2"],
  ]);
});

test("mistakes are named with their line", () => {
  assert.deepEqual(faultsOf('id,x\n"1\n2",3\n4\n5,6,7\n'), [
    "Line 4 has 1 cell; the first line has 2.",
    "Line 5 has 3 cells; the first line has 2.",
  ]);
  assert.deepEqual(faultsOf('id,x\n1,"2'), ["Line 2: the quotes never end."]);
  assert.deepEqual(faultsOf('id,x\n"1"2,3'), ["Line 2: text follows the closing quotes."]);
  assert.deepEqual(faultsOf("id;x\n1;2"), ["The first line is one cell: expected “,” between cells, found “;”."]);
  assert.deepEqual(faultsOf("id,x\n1,2", "tsv"), [
    "The first line is one cell: expected a tab between cells, found “,”.",
  ]);
  assert.deepEqual(faultsOf("id,id\n1,2"), ["The first line has the name “id” twice."]);
  assert.deepEqual(faultsOf("\n\n"), ["The file has no rows."]);
  assert.match(faultsOf('{"a": 1}\n\n{"a"', "jsonl").join(), /^Line 3 is not JSON: /);
  assert.deepEqual(faultsOf("anything,\n at all", "txt"), []);
});

test("at most twenty mistakes are listed, and how many more there are", () => {
  const faults = faultsOf(`id,x\n${"1\n".repeat(50)}`);

  assert.deepEqual([faults.length, faults.at(-1)], [21, "And 30 more."]);
});

test("a file that is not in UTF-8 says so, and one that is no text has no preview", () => {
  assert.deepEqual(previewFile(new Uint8Array([0x61, 0xff]).buffer, "csv")?.faults, [
    "The file is not in UTF-8. Save it as UTF-8.",
  ]);
  assert.equal(previewFile(new ArrayBuffer(4), "zip"), null);
});
