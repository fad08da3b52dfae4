import assert from "node:assert/strict";
import { test } from "node:test";

import type { AroundView, RowsView, SubmissionList } from "../src/api/generated/types.ts";
import { fileOf, makeAnswers, shardOf } from "../src/exported/answers.ts";
import { addressOf } from "../src/ui/hooks/navigation.ts";

const rows = ["Ada", "Béa", "Cem"].map((name, at) => ({ player: `p${at + 1}`, name, rank: at + 1 }));
const lines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const span = { board: "daily-2026-11-29", window: { from: "2026-11-29" }, sequence: 0 };
const FILES: Readonly<Record<string, string>> = {
  "boards.json": JSON.stringify({ boards: [{ id: "main" }, { id: "daily", window: span }] }),
  "boards/main/head.json": "{}",
  "boards/main/rows.jsonl": lines(rows),
  "boards/daily-2026-11-29/window.json": JSON.stringify(span),
  [shardOf("submissions/s1")]: JSON.stringify({ "submissions/s1": { submission: "s1" } }),
  [shardOf("players/p1/submissions")]: JSON.stringify({ "players/p1/submissions": Array(60).fill({ player: "p1" }) }),
};
const manifest = { benchmark: "b", version: "v", site: "https://example.org", made_at: "2026-11-29", files: FILES };
const answer = makeAnswers(manifest, (name) => Promise.resolve(new Response(FILES[name])));
const ask = async <Value>(path: string): Promise<Value> => (await answer(`/api/benchmarks/b${path}`)).json() as Value;
const named = ({ rows: shown }: Pick<RowsView, "rows">) => shown.map(({ name }) => name);

test("an address of the site is a file of the export, or none", () => {
  const files = ["/data/b/b/head.json", "/data/b/b/boards/main/5f/head.json", "/api/benchmarks/b/boards", "/api/x"];
  const expected = ["boards/main/head.json", "boards/main/head.json", "boards.json", undefined];
  assert.deepEqual(
    files.map((path) => fileOf(path, manifest)),
    expected,
  );
});

test("an export alone has its pages behind a number sign", () => {
  const origin = "https://example.org";
  const read = (hash: string): string => addressOf({ origin, href: `${origin}/b/x${hash}`, hash } as Location).pathname;
  assert.deepEqual([read("#/b/y"), read("#//")], ["/b/x", "/b/x"]);
  globalThis.answerFromFiles = answer;
  assert.deepEqual([read("#/b/y"), read("#//example.com/b/y"), read("#rules")], ["/b/y", "/example.com/b/y", "/b/x"]);
});

test("rows are those from a number on, of players, of a name, or around one", async () => {
  assert.deepEqual(named(await ask("/rows?from=2&limit=1")), ["Béa"]);
  assert.deepEqual(named(await ask("/rows?players=p3,p1")), ["Ada", "Cem"]);
  for (const text of ["bea", "p2"]) assert.deepEqual(named(await ask(`/rows?q=${text}`)), ["Béa"]);
  const around = await ask<AroundView>("/players/p3/around?above=1&below=1");
  assert.deepEqual([named(around), around.number], [["Béa", "Cem"], 3]);
  assert.equal((await ask<AroundView>("/players/p9/around?above=1&below=1")).number, null);
});

test("a window is its present instance, which may have no rows", async () => {
  assert.deepEqual(await ask("/rows?board=daily&limit=1"), { ...span, rows: [], matches: 0, total: 0 });
});

test("submissions are listed in pages, and those of another version are missing", async () => {
  const first = await ask<SubmissionList>("/submissions?player=p1");
  const last = await ask<SubmissionList>(`/submissions?player=p1&cursor=${first.next}`);
  assert.deepEqual([first.submissions.length, last.submissions.length, last.next], [50, 10, null]);
  assert.deepEqual(await ask("/submissions/s1?version=v"), { submission: "s1" });
  for (const path of ["submissions/s1?version=w", "submissions/s2", "bans"])
    assert.equal((await answer(`/api/benchmarks/b/${path}`)).status, 404, path);
});
