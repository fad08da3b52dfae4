import assert from "node:assert/strict";
import { test } from "node:test";

import { fetchHead, fetchIndex, fetchRows } from "../src/api/client.ts";
import { SCHEMA } from "../src/api/generated/snapshots.ts";
import { makeHead, makeRows } from "./rows.ts";

const HEAD = { ...makeHead(makeRows([["Ada", 1, 3]]), 1), schema: SCHEMA };

/** Answers whatever is fetched with this text. */
async function answering<Value>(text: string, ask: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const original = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(new Response(text, { headers: { "Content-Type": "application/json" } }));
  try {
    return await ask(new AbortController().signal);
  } finally {
    globalThis.fetch = original;
  }
}

test("a sound head is read, one of a newer schema is told", async () => {
  const head = await answering(JSON.stringify(HEAD), (signal) => fetchHead("b", signal));
  assert.equal(head.kind, "ok");
  const newer = await answering(JSON.stringify({ schema: SCHEMA + 1 }), (signal) => fetchHead("b", signal));
  assert.equal(newer.kind, "newer");
});

test("JSON that is no snapshot is a failure, not an error: the page asks again", async () => {
  for (const text of ["null", "1", '"x"', "[]", "{}", '{"schema":"1"}', "", "<html>", "[".repeat(100_000)]) {
    assert.equal((await answering(text, (signal) => fetchHead("b", signal))).kind, "failed", text.slice(0, 20));
    assert.equal((await answering(text, fetchIndex)).kind, "failed", text.slice(0, 20));
    assert.equal((await answering(text, (signal) => fetchRows("/data/x.json", signal))).kind, "failed", text.slice(0, 20));
  }
});
