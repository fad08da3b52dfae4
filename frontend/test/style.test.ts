/** Style sheets and components use only tokens that something sets. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const SOURCES = new URL("../src/", import.meta.url);

test("each token that is used is set", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => /\.(css|tsx)$/.test(name));
  const text = files.map((name) => readFileSync(new URL(name, SOURCES), "utf8")).join("\n");
  const find = (pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([, name = ""]) => name);
  const set = new Set(find(/(--[\w-]+)"?:/g));
  assert.deepEqual(
    [...new Set(find(/var\((--[\w-]+)/g))].filter((name) => !set.has(name)),
    [],
  );
});
