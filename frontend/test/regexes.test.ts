/** Every regular expression of the site is linear by its shape, so that no text of a stranger holds a page up. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { parseAst } from "vite";

// A character, an escape or a class.
const ATOM = String.raw`(?:\\p\{\w+\}|\\x[0-9a-f]{2}|\\.|\[(?:\\.|[^\]\\])+\]|[^\\^$.*+?()[\]{}|])`;
const BOUNDED = `${ATOM}(?:\\?|\\{\\d{1,2}(?:,\\d{1,2})?\\})?`;
const LAST = `(?:${BOUNDED})*(?:${ATOM}(?:[*+]|\\{\\d{1,2},\\}))?`;
const choiceOf = (piece: string): string => `\\((?:\\?:)?${piece}(?:\\|${piece})*\\)`;
// Each of these tries each place once, or has one place where it may go back, and goes back over it once.
const SHAPES: Readonly<Record<string, RegExp>> = {
  "one atom, repeated or not, anywhere": new RegExp(`^${ATOM}[+]?$`, "iu"),
  "one atom at the end": new RegExp(`^${ATOM}\\$$`, "iu"),
  "atoms from the start, of which on each way the last alone may be repeated without an end": new RegExp(
    `^\\^(?:${BOUNDED}|${choiceOf(`(?:${BOUNDED})*\\$?`)})*(?:${LAST}|${choiceOf(LAST)})\\$?$`,
    "iu",
  ),
};
const isLinear = (pattern: string): boolean => Object.values(SHAPES).some((shape) => shape.test(pattern));

interface Found {
  readonly patterns: readonly string[];
  readonly makes: boolean;
}

/** Gives the regular expressions of a program, and whether it makes others while it runs. */
function findPatterns(code: string): Found {
  const patterns: string[] = [];
  let makes = false;
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, regex, callee } = node as Partial<{ type: string; regex: { pattern: string }; callee: { name?: string } }>;
    if (type === "Literal" && regex) patterns.push(regex.pattern);
    if (callee?.name === "RegExp") makes = true;
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code, { lang: "tsx" }));
  return { patterns, makes };
}

test("every regular expression is linear by its shape", () => {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: `${import.meta.dirname}/..` });
  const all = files.map((file) => ({
    file,
    ...findPatterns(readFileSync(`${import.meta.dirname}/../${file}`, "utf8")),
  }));
  assert.ok(all.flatMap(({ patterns }) => patterns).length >= 10, "the search finds none");
  for (const { file, patterns, makes } of all) {
    assert.ok(!makes, `${file} makes a regular expression while it runs: compare strings instead`);
    for (const pattern of patterns) {
      assert.ok(isLinear(pattern), `${file}: /${pattern}/ is none of: ${Object.keys(SHAPES).join("; ")}`);
    }
  }
});

test("what takes quadratic time, or longer, is none of the shapes", () => {
  for (const pattern of [
    " +#+ *$",
    "^[|\\s:-]*-[|\\s:-]*$",
    "^(a+)+$",
    "a+$",
    "a+b",
    "^a*b*$",
    "^a*a",
    "\\s*\\s*",
    "(a|aa)*",
    "^a{1,999}",
    "^(?:a)+",
    "(.)\\1+",
    "^(a+|b)(a+|c)",
    "^(a|b)+",
    "^(a*b)$",
    "^(?:a+|b)c*",
    "^(?=a)a*",
  ]) {
    assert.ok(!isLinear(pattern), pattern);
  }
});
