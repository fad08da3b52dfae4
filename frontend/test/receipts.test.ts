/** One file stores data in the browser, and never a token. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { receipts } from "../src/hooks/receipts.ts";
import { checkName, checkReceipt, isReceipt } from "../src/lib/checks.ts";

const ROOT = `${import.meta.dirname}/..`;
const TOKEN = `laurel_${"x".repeat(43)}`;
const RECEIPT = `receipt_${"0123456789abcdef".repeat(2)}`;

/** Run with a storage in memory and return its content afterwards. */
function withStorage(use: () => void): Record<string, string> {
  const items = new Map<string, string>();
  const storage = {
    setItem: (key: string, value: string) => items.set(key, value),
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => items.delete(key),
  };
  Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });
  use();
  return Object.fromEntries(items);
}

test("only one file stores data in the browser", () => {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) =>
    /(session|local)Storage|indexedDB|\.cookie|caches\.|serviceWorker|history\.state|window\.name/.test(
      readFileSync(`${ROOT}/${file}`, "utf8"),
    ),
  );
  assert.deepEqual(files, ["src/hooks/receipts.ts"]);
});

test("receipts are stored, and texts that do not look like receipts are not", () => {
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

test("a token that an earlier release stored is removed", () => {
  const stored = withStorage(() => {
    sessionStorage.setItem("receipt:1", TOKEN);
    assert.equal(receipts.find("1"), null);
    assert.equal(receipts.find("2"), null);
  });
  assert.deepEqual(stored, {});
});

test("a token is recognised as receipt and as name", () => {
  assert.equal(checkReceipt(RECEIPT), null);
  for (const name of ["Ada", "laurel_fan"]) assert.equal(checkName(name), null);
  assert.match(checkReceipt("receipt 1") ?? "", /begins with receipt_/);
  for (const text of [TOKEN, `Bearer ${TOKEN}`, `  ${TOKEN}`, `receipt_${TOKEN}`]) {
    assert.match(checkReceipt(text) ?? "", /This is a token, not a receipt/);
    assert.match(checkName(text) ?? "", /contains a token/);
    assert.ok(!isReceipt(text));
    assert.ok(!`${checkReceipt(text)}${checkName(text)}`.includes(text.trim()));
  }
});
