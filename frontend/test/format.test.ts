import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { writeDigits } from "../../sdk/numbers.js";
import { checkResult, formatBytes } from "../src/ui/lib/checks.ts";
import { formatAgo, formatRank, formatScore, formatTime, formatWithUnit } from "../src/ui/lib/format.ts";
import { formatSpan, spellRank } from "../src/boards/rows/ranks.ts";
import { retryDelay } from "../src/ui/hooks/polling.ts";
import { changedRows, describeChanges } from "../src/boards/rows/select.ts";
import { makeRows } from "./rows.ts";

interface Spelling {
  readonly value: number;
  readonly decimals: number | null;
  readonly unit: string | null;
  readonly text: string;
  readonly digits: string | null;
}
const table = readFileSync(new URL("../../tests/golden/spellings.json", import.meta.url), "utf8");

test("page and kit write scores as served pages, badges and commands do", () => {
  for (const { text, digits, ...row } of JSON.parse(table) as readonly Spelling[]) {
    assert.equal(formatScore(row.value, row), text);
    assert.equal(writeDigits(row.value, row) ?? null, digits, text);
  }
  assert.equal(formatScore(null, { decimals: 2, unit: null }), "–");
  assert.equal(formatScore(-Infinity, { decimals: 2, unit: null }), "−∞");
  assert.equal(formatWithUnit(1.5, { decimals: 1, unit: "s" }), "1.5\u202fs");
  assert.equal(formatWithUnit(83.45, { decimals: 1, unit: "h:mm:ss" }), "1:23.5");
  assert.equal(formatWithUnit(null, { decimals: 1, unit: "s" }), "–");
});

test("ranks are formatted as numbers and as words", () => {
  assert.equal(formatRank(2, true), "=2");
  assert.equal(formatRank(10_000, false), "10,000");
  const words = ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th", "112th"];
  for (const word of words) assert.equal(spellRank(parseInt(word), false), word);
  assert.equal(spellRank(2, true), "shared 2nd");
});

test("times are relative", () => {
  assert.equal(formatAgo(0, 59_000), "just now");
  assert.equal(formatAgo(0, 180_000), "3 minutes ago");
  assert.equal(formatAgo(0, 86_400_000 * 40), "1 month ago");
  assert.match(formatTime(Date.UTC(2026, 10, 21, 12, 46)), /^\d+ Nov 2026, \d\d:\d\d:\d\d [A-Z][\w+:-]+$/);
});

test("sizes are formatted in binary or decimal units", () => {
  assert.deepEqual([300, 1_048_576, 2_500_000].map(formatBytes), ["300 bytes", "1 MiB", "2.5 MB"]);
});

test("a result that is empty, too large or no JSON object or array is rejected", () => {
  assert.equal(checkResult('{"a": 1}', 100), null);
  assert.equal(checkResult("[]", 100), null);
  assert.match(checkResult("  ", 100) ?? "", /Choose a file/);
  assert.match(checkResult("null", 100) ?? "", /neither/);
  assert.match(checkResult("{", 100) ?? "", /not JSON/);
  assert.match(checkResult('"ééé"', 7) ?? "", /limit is 7 bytes/);
});

test("the delay before a retry doubles up to two minutes, with at most half of it random", () => {
  assert.deepEqual(
    [1, 2, 3].map((failures) => retryDelay(failures, 1)),
    [2, 4, 8],
  );
  assert.equal(retryDelay(3, 0), 4);
  assert.equal(retryDelay(50, 1), 120);
});

test("a player with another result has changed, a player who was only overtaken has not", () => {
  const before = makeRows([
    ["Ada", 1, 3],
    ["Bea", 2, 2],
  ]);
  const after = {
    ...before,
    player: ["p9", "p1", "p2"],
    name: ["New", "Ada", "Bea"],
    rank: [1, 2, 3],
    scores: { Score: [99.5, 99, 98], Time: [1, 3, 2] },
    submissions: [1, 2, 1],
  } as never;
  const changed = changedRows(before, after);
  assert.deepEqual([...changed], ["p9"]);
  assert.equal(describeChanges(changed, after), "The board changed: New (guest) is at rank 1.");
  assert.equal(describeChanges(new Set(), after), "");
});

test("a span is written in the largest unit that fits", () => {
  assert.deepEqual([0, 3, 90, 120, 7200, 604_800].map(formatSpan), [
    "0 seconds",
    "3 seconds",
    "90 seconds",
    "2 minutes",
    "2 hours",
    "7 days",
  ]);
});
