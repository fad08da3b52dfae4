/** Every regular expression of the site runs in linear time, so that no untrusted text can block a page. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { parseAst } from "vite";

// A character, an escape or a class.
const ATOM = String.raw`(?:\\p\{\w+\}|\\x[0-9a-f]{2}|\\.|\[(?:\\.|[^\]\\])+\]|[^\\^$.*+?()[\]{}|])`;
const BOUNDED = `${ATOM}(?:\\?|\\{\\d{1,2}(?:,\\d{1,2})?\\})?`;
const LAST = `(?:${BOUNDED})*(?:${ATOM}(?:[*+]|\\{\\d{1,2},\\}))?`;
const choiceOf = (piece: string): string => `\\((?:\\?:)?${piece}(?:\\|${piece})*\\)`;
// Each shape tries each position once, or backtracks over one part once.
const SHAPES: Readonly<Record<string, RegExp>> = {
  "one atom, repeated or not, anywhere": new RegExp(`^${ATOM}[+]?$`, "iu"),
  "one atom at the end": new RegExp(`^${ATOM}\\$$`, "iu"),
  "atoms from the start, of which only the last may be repeated without a limit": new RegExp(
    `^\\^(?:${BOUNDED}|${choiceOf(`(?:${BOUNDED})*\\$?`)})*(?:${LAST}|${choiceOf(LAST)})\\$?$`,
    "iu",
  ),
};
const isLinear = (pattern: string): boolean => Object.values(SHAPES).some((shape) => shape.test(pattern));

interface Patterns {
  readonly patterns: readonly string[];
  /** Whether the program creates regular expressions at run time. */
  readonly isDynamic: boolean;
}

/** Return the regular expressions in a program's source. */
function findPatterns(code: string, lang: "ts" | "tsx" = "tsx"): Patterns {
  const patterns: string[] = [];
  let isDynamic = false;
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, regex, callee } = node as Partial<{
      type: string;
      regex: { pattern: string };
      callee: { name?: string };
    }>;
    if (type === "Literal" && regex) patterns.push(regex.pattern);
    if (callee?.name === "RegExp") isDynamic = true;
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code, { lang }));
  return { patterns, isDynamic };
}

test("every regular expression of the site has a linear shape", () => {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: `${import.meta.dirname}/..` });
  const all = files.map((file) => ({
    file,
    ...findPatterns(readFileSync(`${import.meta.dirname}/../${file}`, "utf8"), file.endsWith("x") ? "tsx" : "ts"),
  }));
  assert.ok(all.flatMap(({ patterns }) => patterns).length >= 10, "the search finds too few");
  for (const { file, patterns, isDynamic } of all) {
    assert.ok(!isDynamic, `${file} creates a regular expression at run time: compare strings instead`);
    for (const pattern of patterns) {
      assert.ok(isLinear(pattern), `${file}: /${pattern}/ has none of these shapes: ${Object.keys(SHAPES).join("; ")}`);
    }
  }
});

test("a regular expression that takes quadratic time or longer has none of the shapes", () => {
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
