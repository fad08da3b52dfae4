import assert from "node:assert/strict";
import { test } from "node:test";

import { fetchHead } from "../src/api/client.ts";
import { SCHEMA } from "../src/api/generated/types.ts";
import { parseView } from "../src/api/view.ts";
import { fetchIndex } from "../src/api/views.ts";
import { fetchBoard } from "../src/boards/requests/boards.ts";
import { RemoteRows } from "../src/boards/requests/large_rows.ts";
import { isOutdated } from "../src/boards/requests/other_boards.ts";
import { makeHead, makeRows } from "./rows.ts";

const HEAD = { ...makeHead(makeRows([["Ada", 1, 3]]), 1), schema: SCHEMA };

/** Run a request that gets this text as its response. */
async function respondWith<Value>(text: string, request: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const original = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(new Response(text, { headers: { "Content-Type": "application/json" } }));
  try {
    return await request(new AbortController().signal);
  } finally {
    globalThis.fetch = original;
  }
}

test("a valid head is read, and a head of a newer schema is reported as newer", async () => {
  const head = await respondWith(JSON.stringify(HEAD), (signal) => fetchHead("b", signal));
  assert.equal(head.kind, "ok");
  const newer = await respondWith(JSON.stringify({ schema: SCHEMA + 1 }), (signal) => fetchHead("b", signal));
  assert.equal(newer.kind, "newer");
});

test("a response that is no snapshot is a failure, which the page retries", async () => {
  for (const text of ["null", "1", '"x"', "[]", "{}", '{"schema":"1"}', "", "<html>", "[".repeat(100_000)]) {
    assert.equal((await respondWith(text, (signal) => fetchHead("b", signal))).kind, "failed", text.slice(0, 20));
    assert.equal((await respondWith(text, fetchIndex)).kind, "failed", text.slice(0, 20));
  }
});

test("another board is read in the version of the main board, which is asked for once", async (context) => {
  const window = {
    window: "day",
    from: "2026-11-22T00:00:00Z",
    to: "2026-11-23T00:00:00Z",
    time_zone: "UTC",
    before: null,
  };
  const files: Record<string, object> = {
    "/data/b/c/head.json": { ...HEAD, id: "c", version: "1" },
    "/data/b/c/boards/x/1/head.json": { ...HEAD, id: "c", board: "x", version: "1" },
    "/data/b/c/boards/x/2/head.json": { ...HEAD, id: "c", board: "x", version: "2" },
    "/data/b/c/boards/old/2/head.json": { ...HEAD, id: "c", board: "old", version: "1", window },
  };
  const asked: string[] = [];
  context.mock.method(globalThis, "fetch", (url: string) => {
    asked.push(url);
    return Promise.resolve(Response.json(files[url]));
  });
  const read = async (board: string): Promise<readonly [unknown, boolean, number]> => {
    asked.length = 0;
    const fetched = await fetchBoard("c", board, new AbortController().signal);
    if (fetched.kind !== "ok") return [fetched.kind, false, 0];
    return [
      fetched.value.version,
      isOutdated(fetched.value),
      asked.filter((url) => url === "/data/b/c/head.json").length,
    ];
  };

  assert.deepEqual(await read("x"), ["1", false, 1]);
  assert.deepEqual(await read("x"), ["1", false, 0]);
  // The site leads from the address of a version that is gone to that of today.
  files["/data/b/c/head.json"] = { ...HEAD, id: "c", version: "2" };
  files["/data/b/c/boards/x/1/head.json"] = files["/data/b/c/boards/x/2/head.json"]!;
  assert.deepEqual(await read("x"), ["2", false, 1]);
  assert.deepEqual(await read("x"), ["2", false, 0]);
  assert.deepEqual(await read("old"), ["1", true, 1], "a closed instance keeps its version until its turn comes");
});

test("the file of a season in which nobody has played is asked for once", async (context) => {
  const span = {
    board: "cup",
    from: "2026-11-01T00:00:00Z",
    to: "2027-01-01T00:00:00Z",
    time_zone: "UTC",
    before: null,
  };
  const files: Record<string, object> = {
    "/data/b/b/head.json": { ...HEAD, version: "1", counts: {} },
    "/api/benchmarks/b/rows?board=cup&limit=1": { board: "cup", window: span, sequence: 0 },
    "/api/benchmarks/b/boards": { boards: [{ id: "cup", title: "Cup" }] },
  };
  const asked: string[] = [];
  context.mock.method(globalThis, "fetch", (url: string) => {
    asked.push(url);
    return Promise.resolve(files[url] ? Response.json(files[url]) : new Response(null, { status: 404 }));
  });
  context.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-11-23T00:00:00Z") });
  const fetchRows = async () => {
    const fetched = await fetchBoard("b", "cup", new AbortController().signal);
    return fetched.kind === "ok" ? [fetched.value.board, fetched.value.total] : fetched.kind;
  };
  for (let seconds = 0; seconds < 60; seconds += 2) {
    assert.deepEqual(await fetchRows(), ["cup", 0]);
    context.mock.timers.tick(2_000);
  }
  const file = "/data/b/b/boards/cup/1/head.json";
  assert.equal(asked.filter((url) => url === file).length, 1);
  assert.equal(asked.filter((url) => url.endsWith("limit=1")).length, 6);

  files["/api/benchmarks/b/rows?board=cup&limit=1"] = { board: "cup", window: span, sequence: 1 };
  files[file] = { ...HEAD, board: "cup", version: "1" };
  context.mock.timers.tick(10_000);
  assert.deepEqual(await fetchRows(), ["cup", 1]);
  assert.deepEqual(await fetchRows(), ["cup", 1]);
  assert.equal(asked.filter((url) => url === file).length, 3);
});

test("a request that a view leaves behind is no error", async (context) => {
  Object.assign(globalThis, { window: globalThis });
  const controller = new AbortController();
  const remote = new RemoteRows(parseView("?q=ada", []), controller.signal, () => assert.fail("nothing is drawn"));
  await new Promise((left) => {
    context.mock.method(globalThis, "fetch", () => {
      controller.abort();
      setImmediate(left); // what nobody has handled by then fails the test
      return Promise.reject(controller.signal.reason as Error);
    });
    remote.need(makeHead(makeRows([["Ada", 1, null]]), 30_000), 0, 10);
  });
});
