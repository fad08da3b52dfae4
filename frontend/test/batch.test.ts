import assert from "node:assert/strict";
import { test } from "node:test";

import type { Problem, ResultFormatName, UploadView } from "../src/api/generated/types.ts";
import { checkBatch, describeBatch, describeRepetition, namesParts } from "../src/batches/files.ts";
import { describeStatus } from "../src/submissions/outcomes.ts";
import { checkToken, explainProblem } from "../src/ui/lib/checks.ts";

const MIB = 1_048_576;
const rules = (changes: { takes?: readonly ResultFormatName[]; scorer?: string; parts?: readonly string[] } = {}) => ({
  scorer: changes.scorer ?? "squad_v2",
  parts: changes.parts ?? [],
  submissions: {
    anonymous: true,
    takes: changes.takes ?? ["json"],
    max_bytes: MIB,
    per_day: 1,
    invalid_per_day: 1,
    drop_per_day: 1,
    in_all: null,
  },
});
const batch = (changes: Partial<UploadView>): UploadView => ({
  upload: "u",
  benchmark: "b",
  repeated: false,
  status: "done",
  state: "received",
  entries: 0,
  refused: 0,
  queued: 0,
  scored: 0,
  invalid: 0,
  evaluator_error: 0,
  internal_error: 0,
  in_review: 0,
  withdrawn: 0,
  ...changes,
});

test("a repeated file does not count as if its batch had never been withdrawn", () => {
  assert.match(describeRepetition(batch({ repeated: true })), /nothing of it counts twice/);
  assert.match(describeRepetition(batch({ repeated: true, withdrawn: 1 })), /stays withdrawn\. Under another name/);
});

test("a batch file is JSON, JSONL or ZIP, in upper or lower case", () => {
  for (const name of ["a.json", "a.JSONL", "a.b.zip"]) assert.equal(checkBatch({ name, size: 1 }, rules()), null);
  for (const name of ["a.csv", "json", "a.zip.gz"])
    assert.match(checkBatch({ name, size: 1 }, rules()) ?? "", /is not a/);
});

test("a result names its part where one part is scored at a time", () => {
  const parts = ["level-1"];
  for (const scorer of ["script", "fields"]) assert.equal(namesParts({ scorer, parts }), true);
  assert.equal(namesParts({ scorer: "event_decay", parts }), false);
  assert.equal(namesParts({ scorer: "fields", parts: [] }), false);
});

test("a batch file that is empty or too large is rejected", () => {
  assert.match(checkBatch({ name: "a.zip", size: 0 }, rules()) ?? "", /is empty/);
  assert.equal(checkBatch({ name: "a.jsonl", size: 1_000_000_000 }, rules()), null);
  assert.match(checkBatch({ name: "a.jsonl", size: 1_000_000_001 }, rules()) ?? "", /Split the batch/);
  assert.match(checkBatch({ name: "a.json", size: MIB + 1 }, rules()) ?? "", /cannot be larger/);
});

test("a file of a format that is taken is limited as one result", () => {
  assert.match(checkBatch({ name: "a.zip", size: MIB + 1 }, rules({ takes: ["zip"] })) ?? "", /cannot be larger/);
  assert.match(checkBatch({ name: "a.json", size: 1 }, rules({ takes: ["csv"] })) ?? "", /not a .zip, .csv file/);
  assert.equal(checkBatch({ name: "a.CSV", size: 1 }, rules({ takes: ["csv"] })), null);
});

test("describeBatch says in a sentence what state the batch is in", () => {
  assert.match(describeBatch(batch({ status: "waiting" })), /No file has arrived/);
  assert.match(describeBatch(batch({ state: "quarantined" })), /whole file was refused/);
  assert.match(describeBatch(batch({ state: "internal_error" })), /not your fault/);
  assert.equal(describeBatch(batch({ entries: 1, scored: 1 })), "The result is scored.");
  assert.equal(describeBatch(batch({ entries: 4000, scored: 4000 })), "All 4,000 results are scored.");
  assert.equal(
    describeBatch(batch({ entries: 3, scored: 1, refused: 1, internal_error: 1 })),
    "1 scored, 2 without a score.",
  );
});

test("every entry status has a label and a colour", () => {
  assert.deepEqual(describeStatus("queued"), { label: "Waiting", tone: "neutral" });
  assert.equal(describeStatus("refused").tone, "bad");
  assert.equal(describeStatus("scored").label, "Scored");
});

test("a token begins with its prefix and has no spaces", () => {
  assert.equal(checkToken("laurel_abc"), null);
  for (const text of ["", "laurel_", "abc", "laurel_a b", "laurel_ä"]) assert.notEqual(checkToken(text), null);
});

test("a problem is explained once, with advice about the token", () => {
  const problem: Problem = { type: "urn:laurel:problem:not-a-drop", title: "", status: 422, detail: "bytes: no" };
  assert.deepEqual(explainProblem({ ...problem, errors: [{ pointer: "/bytes", detail: "bytes: no" }] }), ["bytes: no"]);
  assert.match(explainProblem({ ...problem, status: 401 }).at(-1) ?? "", /owner/);
  for (const subject of ["quota", "body"]) {
    const detail = `${subject}: each player may submit 2`;
    assert.deepEqual(explainProblem({ ...problem, detail, errors: [{ pointer: "", detail }] }), [
      "Each player may submit 2",
    ]);
  }
  const uses = { pointer: "/uses", detail: "/uses: expected at least 1" };
  assert.deepEqual(explainProblem({ ...problem, detail: uses.detail, errors: [uses] }), [
    "How many: expected at least 1",
  ]);
  assert.deepEqual(explainProblem({ ...problem, status: 403 }), ["bytes: no"]);
});
