import assert from "node:assert/strict";
import { test } from "node:test";

import { fetchHead, fetchIndex, fetchRows } from "../src/api/client.ts";
import { SCHEMA } from "../src/api/generated/types.ts";
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
    assert.equal((await respondWith(text, (signal) => fetchRows("/data/x.json", signal))).kind, "failed", text.slice(0, 20));
  }
});
