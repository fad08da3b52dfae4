/** What the site keeps in the browser is listed in one file, and is never a token. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { receipts } from "../src/hooks/storage.ts";
import { checkName, checkReceipt, isReceipt } from "../src/lib/token.ts";

const HOME = `${import.meta.dirname}/..`;
const TOKEN = `laurel_${"x".repeat(43)}`;
const RECEIPT = `receipt_${"0123456789abcdef".repeat(2)}`;

/** Runs with a storage in memory; returns what it holds behind. */
function withStorage(use: () => void): Record<string, string> {
  const kept = new Map<string, string>();
  const storage = {
    setItem: (key: string, value: string) => kept.set(key, value),
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => kept.delete(key),
  };
  Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });
  use();
  return Object.fromEntries(kept);
}

test("one file alone keeps anything in the browser", () => {
  const found = globSync("src/**/*.{ts,tsx}", { cwd: HOME }).filter((file) =>
    /(session|local)Storage|indexedDB|\.cookie|caches\.|serviceWorker|history\.state|window\.name/.test(
      readFileSync(`${HOME}/${file}`, "utf8"),
    ),
  );
  assert.deepEqual(found, ["src/hooks/storage.ts"]);
});

test("receipts are kept, and nothing that is none by its form", () => {
  assert.deepEqual(
    withStorage(() => receipts.keep("1", RECEIPT)),
    { "receipt:1": RECEIPT },
  );
  for (const text of [TOKEN, `receipt_${TOKEN}`, "", "anything", `Bearer ${TOKEN}`]) {
    assert.deepEqual(
      withStorage(() => receipts.keep("1", text)),
      {},
      text,
    );
  }
});

test("what an earlier release kept by mistake is taken away", () => {
  const kept = withStorage(() => {
    sessionStorage.setItem("receipt:1", TOKEN);
    assert.equal(receipts.find("1"), null);
    assert.equal(receipts.find("2"), null);
  });
  assert.deepEqual(kept, {});
});

test("a token is recognised wherever it is pasted", () => {
  assert.equal(checkReceipt(RECEIPT), null);
  for (const name of ["Ada", "laurel_fan"]) assert.equal(checkName(name), null);
  assert.match(checkReceipt("receipt 1") ?? "", /begins with receipt_/);
  for (const text of [TOKEN, `Bearer ${TOKEN}`, `  ${TOKEN}`, `receipt_${TOKEN}`]) {
    assert.match(checkReceipt(text) ?? "", /This is a token, not a receipt/);
    assert.match(checkName(text) ?? "", /holds a token/);
    assert.ok(!isReceipt(text));
    assert.ok(!`${checkReceipt(text)}${checkName(text)}`.includes(text.trim()));
  }
});
