import assert from "node:assert/strict";
import { test } from "node:test";

import type { ProblemAnswer, UploadAnswer } from "../src/api/answers.ts";
import { checkBatch, formatReport, labelOf, tellBatch } from "../src/lib/batch.ts";
import { checkToken, explainRefusal } from "../src/lib/token.ts";

const MIB = 1_048_576;
const rules = (changes: { bundle?: boolean; scorer?: string; parts?: readonly string[] } = {}) => ({
  scorer: changes.scorer ?? "squad_v2",
  parts: changes.parts ?? [],
  submissions: {
    anonymous: true,
    bundle: changes.bundle ?? false,
    max_bytes: MIB,
    per_day: 1,
    invalid_per_day: 1,
    drop_per_day: 1,
  },
});
const batch = (changes: Partial<UploadAnswer>): UploadAnswer => ({
  upload: "u",
  status: "done",
  state: "received",
  entries: 0,
  refused: 0,
  queued: 0,
  scored: 0,
  invalid: 0,
  evaluator_error: 0,
  internal_error: 0,
  failures: [],
  page: [],
  next: null,
  ...changes,
});

test("a batch is JSON, JSONL or ZIP, in any case of letters", () => {
  for (const name of ["a.json", "a.JSONL", "a.b.zip"]) assert.equal(checkBatch({ name, size: 1 }, rules()), null);
  for (const name of ["a.csv", "json", "a.zip.gz"]) assert.match(checkBatch({ name, size: 1 }, rules()) ?? "", /none of/);
});

test("a file is neither empty nor too large for what it is", () => {
  assert.match(checkBatch({ name: "a.zip", size: 0 }, rules()) ?? "", /is empty/);
  assert.equal(checkBatch({ name: "a.jsonl", size: 1_000_000_000 }, rules()), null);
  assert.match(checkBatch({ name: "a.jsonl", size: 1_000_000_001 }, rules()) ?? "", /Cut the batch/);
  assert.match(checkBatch({ name: "a.json", size: MIB + 1 }, rules()) ?? "", /can be no larger/);
});

test("a bundle is one result, and a part has room for its wrapper", () => {
  assert.match(checkBatch({ name: "a.zip", size: MIB + 1 }, rules({ bundle: true })) ?? "", /can be no larger/);
  assert.equal(checkBatch({ name: "a.json", size: MIB + 1000 }, rules({ scorer: "script", parts: ["p"] })), null);
});

test("a report says in a sentence how the batch stands", () => {
  assert.match(tellBatch(batch({ status: "waiting" })), /Nothing has come/);
  assert.match(tellBatch(batch({ state: "quarantined" })), /refused as a whole/);
  assert.match(tellBatch(batch({ state: "internal_error" })), /not your fault/);
  assert.equal(tellBatch(batch({ entries: 1, scored: 1 })), "The result is scored.");
  assert.equal(tellBatch(batch({ entries: 4000, scored: 4000 })), "All 4,000 results are scored.");
  assert.equal(
    tellBatch(batch({ entries: 3, scored: 1, refused: 1, internal_error: 1 })),
    "1 of 3 results is scored; 2 have no score.",
  );
});

test("every status has a name", () => {
  assert.deepEqual(labelOf("queued"), { label: "Waiting", tone: "neutral" });
  assert.equal(labelOf("refused").tone, "bad");
  assert.equal(labelOf("scored").label, "Scored");
});

test("a report as CSV has a line for each entry, and runs in no spreadsheet", () => {
  const refused = { entry: "=1+1", submission: null, status: "refused" as const };
  const failure = { ...refused, message: "expected JSON, found a", pointer: null };

  const lines = formatReport([{ entry: "line 1", submission: "s", status: "scored" }, refused], [failure]).split("\r\n");

  assert.equal(lines[1], "line 1,scored,s,,");
  assert.equal(lines[2], `'=1+1,refused,,"expected JSON, found a",`);
});

test("a token is one word that begins as tokens do", () => {
  assert.equal(checkToken("laurel_abc"), null);
  for (const text of ["", "laurel_", "abc", "laurel_a b", "laurel_ä"]) assert.notEqual(checkToken(text), null);
});

test("a refusal is told once, with what to do about a token", () => {
  const problem: ProblemAnswer = { type: "urn:laurel:problem:not-a-drop", title: "", status: 422, detail: "bytes: no" };
  assert.deepEqual(explainRefusal({ ...problem, errors: [{ pointer: "/bytes", detail: "bytes: no" }] }), ["bytes: no"]);
  assert.match(explainRefusal({ ...problem, status: 401 }).at(-1) ?? "", /administrator/);
  assert.deepEqual(explainRefusal({ ...problem, status: 403 }), ["bytes: no"]);
});
