import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import { findBoards } from "../src/benchmarks/search.ts";
import {
  countUnknownLabels,
  formatDetail,
  MAX_DETAIL,
  formatOutput,
  splitDetail,
} from "../src/submissions/outcomes.ts";
import { submissionPath } from "../src/ui/lib/paths.ts";
import { boardPath, canonicalPath, parseRoute, playerPath, submitPath, wallPath } from "../src/ui/lib/route.ts";
import { readSample, writeCommand, writeCurl, writeGame, type Call } from "../src/submissions/submit/samples.ts";
import type { IndexEntry } from "../src/api/generated/types.ts";

const ID = "01a1fb00-0000-7000-8000-000000000001";

test("the output of a script is shown unless the message repeats it", () => {
  assert.equal(formatOutput("no\nanswers", "no\n", " answers\n"), "");
  assert.equal(formatOutput("no answers", "", "no answers\n"), "");
  assert.equal(formatOutput("exited with 1", "out\n", "err"), "out\n\nerr");
  assert.equal(formatOutput(null, "", "err"), "err");
});

test("a short detail is indented, a long detail is cut with a note", () => {
  assert.equal(formatDetail({ a: 1 }), '{\n  "a": 1\n}');
  const deep = (depth: number): unknown => (depth === 0 ? Array(20_000).fill(1) : [deep(depth - 1)]);
  for (const detail of [deep(60), { a: "x".repeat(10 * MAX_DETAIL) }]) {
    const text = formatDetail(detail);
    assert.ok(text.length < MAX_DETAIL + 100);
    assert.match(text, /the API returns all of it\.$/);
  }
});

test("every path is parsed into its page", () => {
  assert.deepEqual(parseRoute("/"), { page: "index" });
  assert.deepEqual(parseRoute("/owners"), { page: "owners" });
  assert.deepEqual(parseRoute("/b/aic-2025/owners"), { page: "owners", benchmark: "aic-2025" });
  assert.deepEqual(parseRoute("/p/guest--0123"), { page: "profile", player: "guest--0123" });
  assert.deepEqual(parseRoute("/docs/games"), { page: "guide" });
  assert.deepEqual(parseRoute("/docs/owners"), { page: "guide" });
  assert.deepEqual(parseRoute("/docs/owners/more"), { page: "missing" });
  assert.deepEqual(parseRoute(boardPath("aic-2025")), { page: "board", benchmark: "aic-2025" });
  assert.deepEqual(parseRoute(submitPath("b")), { page: "submit", benchmark: "b" });
  assert.deepEqual(parseRoute(wallPath("b")), { page: "wall", benchmark: "b" });
  assert.deepEqual(parseRoute(playerPath("b", "guest-ada-1")), {
    page: "player",
    benchmark: "b",
    player: "guest-ada-1",
  });
  assert.deepEqual(parseRoute(submissionPath("b", ID)), { page: "submission", benchmark: "b", submission: ID });
  assert.deepEqual(parseRoute("/api/docs"), { page: "guide" });
});

test("a path without a page is missing", () => {
  for (const path of [
    "/x",
    "/b",
    "/b/UPPER",
    "/b/a/p",
    "/b/a/p/..",
    "/b/a/s/1",
    "/b/a/submit/x",
    "/b/a/owners/x",
    "/owners/a",
    "/b/a/p/x/y",
    "/about/x",
  ]) {
    assert.deepEqual(parseRoute(path), { page: "missing" }, path);
  }
});

test("every spelling of a path has one canonical path", () => {
  for (const [path, expected] of [
    ["//b/aic-2025", "/b/aic-2025"],
    ["/b//aic-2025/", "/b/aic-2025"],
    ["/b/aic%2D2025", "/b/aic-2025"],
    ["///", "/"],
    ["/about//", "/about"],
    ["/api//docs/", "/api/docs"],
    [`/b/b/s/${ID}/`, `/b/b/s/${ID}`],
    ["//example.com", "/example.com"],
    ["/b%2Faic-2025", "/b%2Faic-2025"],
    ["/%", "/%"],
    ["/b/%00", "/b/%00"],
    ["//%2F%2Fexample.com/x", "/%2F%2Fexample.com/x"],
  ] as const) {
    assert.equal(canonicalPath(path), expected);
    assert.equal(canonicalPath(expected), expected);
    assert.deepEqual(parseRoute(path), parseRoute(expected));
  }
});

test("boards are found by all words, most recently updated first", () => {
  const board = (id: string, updated_at: string): IndexEntry =>
    ({ id, title: `Title ${id}`, summary: "", tags: ["game"], updated_at }) as unknown as IndexEntry;
  const boards = [
    board("a", "2026-01-01T00:00:00Z"),
    board("b", "2026-03-01T00:00:00Z"),
    board("c", "2026-02-01T00:00:00Z"),
  ];
  assert.deepEqual(
    findBoards(boards, "").map((match) => match.id),
    ["b", "c", "a"],
  );
  assert.deepEqual(
    findBoards(boards, " GAME title ").map((match) => match.id),
    ["b", "c", "a"],
  );
  assert.deepEqual(findBoards(boards, "game nothing"), []);
});

test("code samples are quoted for their language", () => {
  const call: Call = {
    origin: "https://laurel.example",
    benchmark: "b",
    part: "level 1",
    sample: '{"a": "it\'s"}',
    format: "json",
    token: false,
  };
  assert.match(writeCurl(call), /submissions\?player=Ada&part=level\+1'/);
  assert.match(writeCurl(call), /-d '\{"a": "it'\\''s"\}'$/);
  assert.doesNotMatch(writeCurl({ ...call, token: true }), /player=/);
  assert.match(
    writeCommand({ ...call, part: "it's" }),
    /^uv tool install 'https:\/\/laurel\.example\/command\/laurel-/,
  );
  assert.match(writeCommand({ ...call, part: "it's" }), /submit b result\.json --wait --part 'it'\\''s' --player Ada$/);
  assert.match(
    writeCommand({ ...call, token: true }),
    /\nexport LAUREL_API='https:\/\/laurel\.example'\nexport LAUREL_TOKEN=laurel_…\nlaurel submit b .* --part 'level 1'$/,
  );
});

const CALL: Call = {
  origin: "https://laurel.example",
  benchmark: "b",
  part: "a'b\"`$(x)",
  sample: "{}",
  format: "json",
  token: false,
};

test("a result that is not JSON is sent from its file, with its type", () => {
  const call: Call = { ...CALL, part: null, format: "csv" };

  assert.match(writeCurl(call), /-H 'Content-Type: text\/csv' \\\n {5}--data-binary @result\.csv$/);
  assert.match(writeCommand(call), /laurel submit b result\.csv --wait/);
});

test("a sample that is no JSON is left out of the code", () => {
  for (const sample of ["alert(1)", "{}; alert(1)", "@/etc/passwd", "{'a': 1}", "{} // x", "", "'; rm x; '", "NaN"]) {
    assert.equal(readSample(sample), "{}");
    const writeRun = (call: Call): string => writeGame(call, true);
    for (const write of [writeCurl, writeRun]) {
      assert.equal(write({ ...CALL, sample }), write(CALL), sample);
    }
  }
});

const HOSTILE = [
  "</script><script>alert(1)</script>",
  "<!--",
  "`${alert(1)}`",
  "'; touch x; '",
  "'''); import os; ('''",
  "\u2028alert(1)\u2029",
  "\u202e\u2066\u200b\u{e0001}",
  "\u007f\u009b31m",
  "$(touch x) `touch x` !! %s",
  '\\"); alert(1); ("',
  "é 漢 😀",
];
const VALUES: readonly unknown[] = HOSTILE.flatMap((text) => [{ a: text }, [text], { [text]: 1 }, text]);

for (const value of VALUES) {
  test(`a sample is the same harmless value in each language: ${JSON.stringify(value)}`, () => {
    const compact = JSON.stringify(value);
    const spaced = JSON.stringify(value, null, "\t").replaceAll("\n", "\r\n");
    for (const sample of [compact, spaced, compact.replaceAll("_", "\\u005f")]) {
      const call = { ...CALL, sample };
      const [, played = ""] = /submit\(([^]*), \{ part: /.exec(writeGame(call, false)) ?? [];
      assert.equal(runInNewContext(`JSON.stringify(${played})`), compact);
      assert.doesNotMatch(played, /<\/|<!/);
      const shell = spawnSync("/bin/sh", ["-c", `curl() { shift 4; printf '%s\\n' "$*"; }\n${writeCurl(call)}`]);
      assert.equal(JSON.stringify(JSON.parse(shell.stdout.toString())), compact);
      assert.equal(shell.stderr.toString(), "");
      assert.doesNotMatch(writeCurl(call), /<\/|<!|`|\$\{|\$\(|[\u2028\u2029\u202e\u2066\u200b\x7f-\x9f\t\r]/);
    }
  });
}

test("the name of a part is encoded", () => {
  const address = "https://laurel.example/api/benchmarks/b/submissions?player=Ada&part=a%27b%22%60%24%28x%29";
  assert.ok(writeCurl(CALL).includes(address));
});

test("a detail is split into files, tables of numbers and the rest", () => {
  const categories = { Pause: { rate: 0.8, delay: 1 }, Topic: { delay: 2 } };
  const detail = { "all.json": { Total: 1 }, categories, values: [1], empty: {}, mixed: { a: { b: "c" } } };

  assert.deepEqual(splitDetail(detail), {
    files: [["all.json", { Total: 1 }]],
    tables: [{ name: "categories", columns: ["rate", "delay"], rows: categories }],
    rest: { values: [1], empty: {}, mixed: { a: { b: "c" } } },
  });
});

test("rows with labels that the ground truth lacks are counted over columns and parts", () => {
  const details = [
    { rows: 4, unknown_labels: { species: 2, colour: 1 } },
    null,
    { rows: 2, unknown_labels: { species: 3 } },
  ];

  assert.equal(countUnknownLabels(details), 6);
  assert.equal(countUnknownLabels([{ rows: 4 }, undefined, { unknown_labels: 7 }]), 0);
});
