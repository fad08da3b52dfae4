/** Requests about groups: all pages of the rows, and the key in a header. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { fetchGroupRows, leaveGroup } from "../src/api/groups.ts";

test("rows of a group are fetched to the end, and the key is never in an address", async () => {
  const asked: Request[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = (url, options) => {
    const request = new Request(new URL(String(url), "https://laurel.example"), options as RequestInit);
    asked.push(request);
    const from = Number(new URL(request.url).searchParams.get("from"));
    const body = { code: "GJCBP-WMDQZ", rows: [{ rank: from }], next: from === 1 ? 101 : null };
    return Promise.resolve(Response.json(request.method === "GET" ? body : {}));
  };
  try {
    const fetched = await fetchGroupRows("coins", "gjcbp wmdqz", "daily", new AbortController().signal);
    await leaveGroup("GJCBP-WMDQZ", "guest--ada-1", "player_1");

    assert.deepEqual(fetched.kind === "ok" && fetched.value.rows.map((row) => row.rank), [1, 101]);
    assert.deepEqual(
      asked.map(({ url }) => url.replace("https://laurel.example/api", "")),
      [
        "/benchmarks/coins/groups/gjcbp%20wmdqz?from=1&limit=100&board=daily",
        "/benchmarks/coins/groups/gjcbp%20wmdqz?from=101&limit=100&board=daily",
        "/groups/GJCBP-WMDQZ/members/guest--ada-1/leave",
      ],
    );
    assert.equal(asked[2]?.headers.get("Laurel-Player-Key"), "player_1");
  } finally {
    globalThis.fetch = original;
  }
});
