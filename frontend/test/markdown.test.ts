import assert from "node:assert/strict";
import { test } from "node:test";

import { parseInline, parseMarkdown, type Block, type Inline } from "../src/logic/markdown.ts";

const textOf = (inlines: readonly Inline[]): string =>
  inlines.map((one) => ("text" in one ? one.text : textOf(one.content))).join("");
const kindsOf = (text: string): readonly string[] => parseMarkdown(text).map((block) => block.kind);
const first = (text: string): Block => parseMarkdown(text)[0] as Block;

test("blocks are told apart", () => {
  const text = "# One\ntext\nmore\n\n* a\n* b\n\n1. c\n\n> quote\n\n```json\n{}\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n---";
  assert.deepEqual(kindsOf(text), ["heading", "paragraph", "list", "list", "quote", "code", "table", "rule"]);
});

test("lists hold what is indented below them", () => {
  const list = first("* one\n  still one\n  - inner\n* two");
  assert.ok(list.kind === "list");
  assert.deepEqual(
    list.items.map((item) => item.map((block) => block.kind)),
    [["paragraph", "list"], ["paragraph"]],
  );
});

test("code keeps its characters, and a fence that never ends goes to the end", () => {
  assert.deepEqual(first("```\n<b>*x*\n```"), { kind: "code", text: "<b>*x*" });
  assert.deepEqual(first("```\na\n\nb"), { kind: "code", text: "a\n\nb" });
});

test("tables are as wide as their head, and bars in code are no borders", () => {
  const table = first("| a | b |\n|:--|--:|\n| `x|y` | 2 | 3 |\n| 1 |");
  assert.ok(table.kind === "table");
  assert.deepEqual(
    table.rows.map((row) => row.map(textOf)),
    [
      ["x|y", "2"],
      ["1", ""],
    ],
  );
});

test("emphasis needs its partner, and underscores in words are none", () => {
  assert.deepEqual(
    parseInline("**a** *b* `c`").map((one) => one.kind),
    ["strong", "text", "emphasis", "text", "code"],
  );
  for (const text of ["2 * 3 * 4", "snake_case_name", "*open", "a\\*b\\*"]) {
    assert.deepEqual(
      parseInline(text).map((one) => one.kind),
      ["text"],
      text,
    );
  }
});

test("links lead to http and https only", () => {
  assert.deepEqual(parseInline("[a](https://example.com/x)")[0], {
    kind: "link",
    url: "https://example.com/x",
    content: [{ kind: "text", text: "a" }],
  });
  for (const text of [
    "[a](javascript:alert(1))",
    "[a](data:text/html,x)",
    "[a](//example.com)",
    "[a](java\nscript:x)",
    "<javascript:x>",
  ]) {
    assert.ok(
      parseInline(text).every((one) => one.kind === "text"),
      text,
    );
  }
});

test("tags are text", () => {
  assert.equal(textOf(parseInline("<img src=x onerror=alert(1)>")), "<img src=x onerror=alert(1)>");
});

test("no text takes forever, and none loses its words", () => {
  for (const text of [
    "*".repeat(20_000),
    "[".repeat(20_000),
    "`".repeat(20_001),
    "*a ".repeat(7_000),
    "> ".repeat(10_000),
    "- ".repeat(10_000),
    "|".repeat(20_000),
  ]) {
    assert.ok(parseMarkdown(text).length > 0);
  }
});
