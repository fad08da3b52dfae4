/** What stores data in the browser, and never a token but where the visitor asks for it. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { keptKey, keptName, playerOf, receiptOf } from "../src/ui/hooks/storage.ts";
import { checkName, checkCredential, isReceipt, makeRandomDigits } from "../src/ui/lib/checks.ts";

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
  for (const name of ["sessionStorage", "localStorage"]) {
    Object.defineProperty(globalThis, name, { value: storage, configurable: true });
  }
  use();
  return Object.fromEntries(items);
}

test("three files store data, and the history has nothing but the height of a page", () => {
  const STORES = /(session|local)Storage|indexedDB|\.cookie|caches\.|serviceWorker|history\.state|window\.name/g;
  const found = globSync("src/**/*.{ts,tsx}", { cwd: ROOT })
    .map((file) => [file, readFileSync(`${ROOT}/${file}`, "utf8").match(STORES) ?? []] as const)
    .filter(([file, stores]) => stores.length > 0 && file !== "src/ui/hooks/storage.ts");
  assert.deepEqual(Object.fromEntries(found), {
    "src/ui/hooks/navigation.ts": ["history.state"],
    "src/languages/say.ts": ["localStorage", "localStorage"],
    // It reads who visits before the first draw, so that nothing moves after it.
    "src/boards/page.tsx": ["localStorage"],
  });
});

test("receipts are stored, and texts that do not look like receipts are not", () => {
  assert.deepEqual(
    withStorage(() => receiptOf("1").keep(RECEIPT)),
    { "receipt:1": RECEIPT },
  );
  for (const text of [TOKEN, `receipt_${TOKEN}`, "", "anything", `Bearer ${TOKEN}`]) {
    assert.deepEqual(
      withStorage(() => receiptOf("1").keep(text)),
      {},
      text,
    );
  }
});

test("only a whole player key is stored, and found again", () => {
  const key = `player_${makeRandomDigits()}`;
  const stored = withStorage(() => {
    for (const text of [TOKEN, RECEIPT, "", `${key}0`, key.toUpperCase(), `Bearer ${key}`]) keptKey.keep(text);
    assert.equal(keptKey.find(), null);
    keptKey.keep(key);
    assert.equal(keptKey.find(), key);
  });
  assert.deepEqual(stored, { "player-key": key });
});

test("name and player are stored for good, and never a token", () => {
  const stored = withStorage(() => {
    playerOf("coin-run").keep("guest");
    playerOf("coin-run").keep(TOKEN);
    keptName.keep(TOKEN);
    assert.equal(keptName.find(), null);
    playerOf("coin-run").keep("guest-ada");
    keptName.keep("Ada");
  });
  assert.deepEqual(stored, { "player:coin-run": "guest-ada", "player-name": "Ada" });
  assert.deepEqual(
    withStorage(() => (keptName.keep("Ada"), keptName.keep(""))),
    {},
  );
});

test("a token that was stored as a receipt is not one", () => {
  withStorage(() => {
    sessionStorage.setItem("receipt:1", TOKEN);
    assert.equal(receiptOf("1").find(), null);
    assert.equal(receiptOf("2").find(), null);
  });
});

test("a receipt or a token is one whole text, and a name has no token", () => {
  for (const text of [RECEIPT, TOKEN]) assert.equal(checkCredential(text), null);
  for (const name of ["Ada", "laurel_fan"]) assert.equal(checkName(name), null);
  for (const text of ["receipt 1", `Bearer ${TOKEN}`, `  ${TOKEN}`, `receipt_${TOKEN}`]) {
    assert.match(checkCredential(text) ?? "", /begins with receipt_/);
    assert.ok(!checkCredential(text)?.includes(text.trim()));
  }
  for (const text of [TOKEN, `Bearer ${TOKEN}`, `  ${TOKEN}`, `receipt_${TOKEN}`]) {
    assert.match(checkName(text) ?? "", /contains a token/);
    assert.ok(!isReceipt(text));
    assert.ok(!checkName(text)?.includes(text.trim()));
  }
});
