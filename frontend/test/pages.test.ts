import assert from "node:assert/strict";
import { test } from "node:test";

import { findBoards } from "../src/logic/boards.ts";
import { formatDetail, MAX_DETAIL, printedBeside } from "../src/logic/outcome.ts";
import { listOperations, listSchemas } from "../src/logic/openapi.ts";
import { boardPath, parseRoute, playerPath, submissionPath, submitPath } from "../src/logic/route.ts";
import { writeCurl, writeJavaScript, writePython, type Call } from "../src/logic/samples.ts";
import type { IndexEntry } from "../src/snapshots.ts";

const ID = "01a1fb00-0000-7000-8000-000000000001";

test("what a script printed is shown unless the message says it", () => {
  assert.equal(printedBeside("no\nanswers", "no\n", " answers\n"), "");
  assert.equal(printedBeside("no answers", "", "no answers\n"), "");
  assert.equal(printedBeside("exited with 1", "out\n", "err"), "out\n\nerr");
  assert.equal(printedBeside(null, "", "err"), "err");
});

test("a detail is indented, and cut with a note where it is long", () => {
  assert.equal(formatDetail({ a: 1 }), '{\n  "a": 1\n}');
  const deep = (depth: number): unknown => (depth === 0 ? Array(20_000).fill(1) : [deep(depth - 1)]);
  for (const detail of [deep(60), { a: "x".repeat(10 * MAX_DETAIL) }]) {
    const text = formatDetail(detail);
    assert.ok(text.length < MAX_DETAIL + 100);
    assert.match(text, /the API returns all of it\.$/);
  }
});

test("every page has its path", () => {
  assert.deepEqual(parseRoute("/"), { page: "index" });
  assert.deepEqual(parseRoute(boardPath("aic-2025")), { page: "board", benchmark: "aic-2025" });
  assert.deepEqual(parseRoute(submitPath("b")), { page: "submit", benchmark: "b" });
  assert.deepEqual(parseRoute(playerPath("b", "guest-ada-1")), {
    page: "player",
    benchmark: "b",
    player: "guest-ada-1",
  });
  assert.deepEqual(parseRoute(submissionPath("b", ID)), { page: "submission", benchmark: "b", submission: ID });
  assert.deepEqual(parseRoute("/api/docs"), { page: "api" });
});

test("what has no page is missing", () => {
  for (const path of [
    "/x",
    "/b",
    "/b/UPPER",
    "/b/a/p",
    "/b/a/p/..",
    "/b/a/s/1",
    "/b/a/submit/x",
    "/b/a/p/x/y",
    "/about/x",
  ]) {
    assert.deepEqual(parseRoute(path), { page: "missing" }, path);
  }
});

test("boards are found by all words, the liveliest first", () => {
  const board = (id: string, updated_at: string): IndexEntry =>
    ({ id, title: `Title ${id}`, summary: "", tags: ["game"], updated_at }) as unknown as IndexEntry;
  const boards = [
    board("a", "2026-01-01T00:00:00Z"),
    board("b", "2026-03-01T00:00:00Z"),
    board("c", "2026-02-01T00:00:00Z"),
  ];
  assert.deepEqual(
    findBoards(boards, "").map((one) => one.id),
    ["b", "c", "a"],
  );
  assert.deepEqual(
    findBoards(boards, " GAME title ").map((one) => one.id),
    ["b", "c", "a"],
  );
  assert.deepEqual(findBoards(boards, "game nothing"), []);
});

test("samples are quoted for their language", () => {
  const call: Call = {
    origin: "https://laurel.example",
    benchmark: "b",
    part: "level 1",
    sample: '{"a": "it\'s"}',
    token: false,
  };
  assert.match(writeCurl(call), /submissions\?player=Ada&part=level\+1'/);
  assert.match(writeCurl(call), /-d '\{"a": "it'\\''s"\}'$/);
  assert.match(writePython(call), /json\.loads\('''\{"a": "it's"\}'''\)/);
  assert.match(writePython({ ...call, sample: '{"a": "\\n"}' }), /json\.loads\("\{\\"a\\": \\"\\\\n\\"\}"\)/);
  assert.match(writeJavaScript({ ...call, token: true }), /"Authorization": "Bearer laurel_…"/);
  assert.doesNotMatch(writeCurl({ ...call, token: true }), /player=/);
});

test("an OpenAPI document is listed, and what is not as expected left out", () => {
  const document = {
    paths: {
      "/api/x/{id}": {
        get: {
          summary: "GET /api/x/{id}",
          description: "Show one.",
          parameters: [
            { name: "id", in: "path", required: true, schema: { anyOf: [{ type: "string" }, { type: "null" }] } },
          ],
          responses: {
            200: {
              description: "Good",
              content: { "application/json": { schema: { $ref: "#/components/schemas/X" } } },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        X: { required: ["a"], properties: { a: { type: "array", items: { type: "integer" } }, b: { enum: ["q"] } } },
      },
    },
  };
  const [operation] = listOperations(document);
  assert.deepEqual([operation?.id, operation?.method, operation?.summary], ["get-api-x-id", "GET", "Show one."]);
  assert.equal(operation?.parameters[0]?.type, "string | null");
  assert.equal(operation?.responses[0]?.type, "X");
  assert.deepEqual(
    listSchemas(document)[0]?.fields.map((field) => [field.type, field.required]),
    [
      ["integer[]", true],
      ['"q"', false],
    ],
  );
  assert.deepEqual(listOperations(null), []);
  let deep: object = { type: "string" };
  for (let depth = 0; depth < 100_000; depth++) deep = { type: "array", items: deep };
  const [schema] = listSchemas({ components: { schemas: { X: { properties: { a: deep } } } } });
  assert.equal(schema?.fields[0]?.type, `…${"[]".repeat(9)}`);
  assert.deepEqual(listSchemas({ components: 3 }), []);
});
