/** Every text of the site is in the table of every language, and no table has another one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSync } from "vite";

import {
  findTexts,
  listFirstTexts,
  listSources,
  listTexts,
  makeTable,
  readTexts,
  readTranslations,
  writeLanguage,
} from "../languages.ts";
import { chooseLanguage, LANGUAGES, mix, say } from "../src/languages/say.ts";

/** What looks like a text and is none: names of products, formats, headers, keys and elements, and HTML. */
const NAMES =
  /^(Laurel|API|[/\w]+\.json|Markdown|Python|JavaScript|CSV|JSON|[KMG]iB|receipt_… or laurel_…|(Content-|Idempotency-|Laurel-|Bearer )[A-Za-z-]*|If-None-Match|Home|End|Escape|State|(tbody|thead) t[rh]|"?>?<[^>]*)$/;
/** Code that visitors copy, and the languages by their own names. */
const CODE: readonly string[] = [
  "submissions/submit/samples.ts",
  "languages/names.ts",
  "benchmarks/owners/runners.tsx",
];
/** Files whose texts are still to be translated. */
const LATER: readonly string[] = [];
const PLACEHOLDER = /\{\w+\}/g;

const listPlaceholders = (text: string): readonly string[] => [...new Set(text.match(PLACEHOLDER))].sort();

test("no text is outside of the tables", () => {
  const others = listSources().flatMap((file) => {
    const outside = CODE.includes(file) ? [] : readTexts(file).outside.filter((text) => !NAMES.test(text));
    return outside.length > 0 ? [[file, outside]] : [];
  });
  const left = others.filter(([file]) => !LATER.includes(String(file)));
  assert.deepEqual(left, []);
  assert.deepEqual(
    LATER,
    others.map(([file]) => file),
  );
});

test("a text outside of the tables is seen", () => {
  const source = `
    const title = "Not here";
    export const Part = () => <p title={\`\${title} and there\`} class="no text">Here {say(title)} {say("All {n}|Some", 1)}</p>;
  `;
  const { texts, outside } = findTexts(parseSync("part.tsx", source).program);
  assert.deepEqual(texts, ["All {n}|Some"]);
  assert.deepEqual(
    [...outside].sort(),
    ["Here", "Not here", " and there", "say() needs a text, not an expression"].sort(),
  );
});

for (const id of LANGUAGES.filter((id) => id !== "en")) {
  test(`${id} has every text once, with the same placeholders`, { skip: LATER.length > 0 }, () => {
    const [texts, translations] = [listTexts(), readTranslations(id)];
    assert.deepEqual(Object.keys(translations).sort(), texts);
    for (const [text, translation] of Object.entries(translations)) {
      assert.notEqual(translation.trim(), "", text);
      assert.deepEqual(listPlaceholders(translation), listPlaceholders(text), text);
      assert.ok(text.includes("|") || !translation.includes("|"), text);
    }
  });
}

test("the files of a language have each text, and the form of a number", async () => {
  const texts = [...listTexts(), "{count} cat|{count} cats"];
  const table = makeTable(texts, { Boards: "Tablice", "{count} cat|{count} cats": "kot|kota|kotów|koty" });
  const encode = (file: string): string => `data:text/javascript,${encodeURIComponent(file)}`;
  const first = listFirstTexts();
  const isFirst = table.texts.map((text) => first.has(text) || text.startsWith("kot"));
  const [, rest] = writeLanguage("pl", table, isFirst, "");
  const { default: translate, more } = await import(encode(writeLanguage("pl", table, isFirst, encode(rest))[0]));
  assert.deepEqual(
    [1, 1.5, 5, 2].map((count) => translate(texts.at(-1), count)),
    ["kot", "kota", "kotów", "koty"],
  );
  await more;
  for (const text of listTexts().filter((text) => !text.includes("|")))
    assert.equal(translate(text), text === "Boards" ? "Tablice" : text);
});

test("a text has its values, and the form of its number", () => {
  assert.equal(say("Try now"), "Try now");
  assert.equal(say("Opens {time}", { time: "today" }), "Opens today");
  const count = (number: number): string => say("{count} player|{count} players", { count: number });
  assert.deepEqual([0, 1, 30_000].map(count), ["0 players", "1 player", "30,000 players"]);
  assert.deepEqual(mix("made by {command}.", { command: ["laurel"] }), ["made by ", ["laurel"], "."]);
});

test("the first language that the site has is the visitor’s", () => {
  assert.equal(chooseLanguage([null, "tlh", "de-AT", "fr"]), "de");
  assert.equal(chooseLanguage(["zh-CN"]), "zh-Hans");
  assert.equal(chooseLanguage([null, "tlh"]), "en");
});
