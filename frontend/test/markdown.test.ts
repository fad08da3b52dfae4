import assert from "node:assert/strict";
import { test } from "node:test";

import { parseInline, type Inline } from "../src/lib/inlines.ts";
import { CUT, LIMITS, MAX_COLUMNS, measureMarkdown, parseMarkdown, type Block } from "../src/lib/markdown.ts";

const textOf = (inlines: readonly Inline[]): string =>
  inlines.map((inline) => ("text" in inline ? inline.text : textOf(inline.content))).join("");
const kindsOf = (text: string): readonly string[] => parseMarkdown(text).map((block) => block.kind);
const first = (text: string): Block => parseMarkdown(text)[0] as Block;

test("each kind of block is recognised", () => {
  const text = "# One\ntext\nmore\n\n* a\n* b\n\n1. c\n\n> quote\n\n```json\n{}\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n---";
  assert.deepEqual(kindsOf(text), ["heading", "paragraph", "list", "list", "quote", "code", "table", "rule"]);
});

test("list items contain what is indented below them", () => {
  const list = first("* one\n  still one\n  - inner\n* two");
  assert.ok(list.kind === "list");
  assert.deepEqual(
    list.items.map((item) => item.map((block) => block.kind)),
    [["paragraph", "list"], ["paragraph"]],
  );
});

test("code keeps its characters, and an open fence extends to the end", () => {
  assert.deepEqual(first("```\n<b>*x*\n```"), { kind: "code", text: "<b>*x*" });
  assert.deepEqual(first("```\na\n\nb"), { kind: "code", text: "a\n\nb" });
});

test("tables are as wide as their head, and bars in code separate no cells", () => {
  const table = first("| a | b |\n|:--|--:|\n| `x|y` | 2 | 3 |\n| 1 |");
  assert.ok(table.kind === "table");
  assert.deepEqual(
    table.rows.map((row) => row.map(textOf)),
    [["x|y", "2"], ["1"]],
  );
});

test("missing cells are not created, and a table that is too wide is text", () => {
  const wide = (columns: number) => `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|\n".repeat(50)}`;
  const table = first(wide(MAX_COLUMNS));
  assert.ok(table.kind === "table");
  assert.deepEqual([table.head.length, table.rows.length], [MAX_COLUMNS, 50]);
  assert.equal(
    table.rows.reduce((sum, row) => sum + row.length, 0),
    50,
  );
  assert.equal(first(wide(MAX_COLUMNS + 1)).kind, "paragraph");
});

test("emphasis needs two marks, and underscores in words are text", () => {
  assert.deepEqual(
    parseInline("**a** *b* `c`").map((inline) => inline.kind),
    ["strong", "text", "emphasis", "text", "code"],
  );
  for (const text of ["2 * 3 * 4", "snake_case_name", "*open", "a\\*b\\*"]) {
    assert.deepEqual(
      parseInline(text).map((inline) => inline.kind),
      ["text"],
      text,
    );
  }
});

test("links have http or https URLs only", () => {
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
      parseInline(text).every((inline) => inline.kind === "text"),
      text,
    );
  }
});

test("HTML tags are text", () => {
  assert.equal(textOf(parseInline("<img src=x onerror=alert(1)>")), "<img src=x onerror=alert(1)>");
});

test("marks nest and never overlap", () => {
  const shape = (inlines: readonly Inline[]): string =>
    inlines.map((inline) => ("text" in inline ? inline.text : `${inline.kind[0]}(${shape(inline.content)})`)).join("");
  for (const [text, expected] of [
    ["**a *b* c**", "s(a e(b) c)"],
    ["***a* b**", "s(e(a) b)"],
    ["*a **b* c**", "e(a **b) c**"],
    ["*a [b*](https://x.y) c", "e(a [b)](https://x.y) c"],
    ["[*a](https://x.y) b*", "l(*a) b*"],
    ["[[a](https://x.y)](https://x.y)", "[l(a)](https://x.y)"],
    ["`` ` `` and `*a*", "` and `e(a)"],
    ["a_b_ _c_", "a_b_ e(c)"],
    ["****", "****"],
  ] as const) {
    assert.equal(shape(parseInline(text)), expected, text);
  }
});

const HOSTILE: Readonly<Record<string, (length: number) => string>> = {
  "a table of many columns and short rows": (length) =>
    `${"|a".repeat(length / 8)}|\n${"|-".repeat(length / 8)}|\n${"|\n".repeat(length / 4)}`,
  "a table of many short rows": (length) => `|a|b|\n|-|-|\n${"|\n".repeat(length / 2)}`,
  "a table of many cells": (length) => `${"|".repeat(64)}\n|-|\n${`${"|".repeat(63)}\n`.repeat(length / 64)}`,
  "a table in each line": (length) => "|a\n|-\n".repeat(length / 6),
  "dashes under a bar": (length) => `|\n|${"-".repeat(length)}x`,
  "spaces in a heading": (length) => `# a${" ".repeat(length)}b`,
  "hashes and spaces in a heading": (length) => `# ${"# ".repeat(length / 2)}b`,
  "a rule that is none": (length) => `${"- ".repeat(length / 2)}x`,
  "spaces, then a mark": (length) => `-${" ".repeat(length)}x`,
  "a deep indent, then short lines": (length) => `-${" ".repeat(length / 2)}x\n${"a\n".repeat(length / 4)}`,
  "lists in lists": (length) => "- ".repeat(length / 2),
  "an item in each line": (length) => "- a\n".repeat(length / 4),
  "items ever deeper": (length) =>
    Array.from({ length: Math.sqrt(length) }, (_, index) => `${" ".repeat(2 * index)}- a`).join("\n"),
  "quotes in quotes": (length) => "> ".repeat(length / 2),
  "quotes in lists": (length) => `${"- > ".repeat(8)}\n`.repeat(length / 32),
  "fences that never end": (length) => `${"`".repeat(length / 2)}\n${"```\n".repeat(length / 8)}`,
  "blank lines": (length) => " \n".repeat(length / 2),
  "one line": (length) => "a".repeat(length),
  "one word a line": (length) => "a\n".repeat(length / 2),
  "one paragraph a line": (length) => "a\n\n".repeat(length / 3),
  stars: (length) => "*".repeat(length),
  "stars that open": (length) => "*a ".repeat(length / 3),
  "stars that close": (length) => "a* ".repeat(length / 3),
  "stars and brackets": (length) => `*a${"[ *".repeat(length / 3)}`,
  "all marks": (length) => "*a**b_c__d[e`f<g".repeat(length / 16),
  "short emphasis": (length) => "*a*".repeat(length / 3),
  brackets: (length) => "[".repeat(length),
  "brackets that close": (length) => "[".repeat(length / 2) + "]".repeat(length / 2),
  "links in links": (length) => "[".repeat(length / 16) + "](http://x.y/z)".repeat(length / 16),
  "links that never end": (length) => "[a](http://".repeat(length / 11),
  "addresses that never end": (length) => "<http://".repeat(length / 8),
  "one long address": (length) => `<http://${"x".repeat(length)}>`,
  ticks: (length) => "`".repeat(length + 1),
  "ticks of every length": (length) =>
    Array.from({ length: Math.sqrt(2 * length) }, (_, index) => "`".repeat(index + 1)).join("a"),
  backslashes: (length) => "\\".repeat(length),
  spaces: (length) => " ".repeat(length),
  "spaces between": (length) => `a${" ".repeat(length)}b`,
};
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128].map((kilobytes) => 1024 * kilobytes);

const countInlines = (inlines: readonly Inline[]): number =>
  inlines.reduce((sum, inline) => sum + 1 + ("text" in inline ? 0 : countInlines(inline.content)), 0);
const countBlocks = (blocks: readonly Block[]): number => blocks.reduce((sum, block) => sum + countBlock(block), 0);
function countBlock(block: Block): number {
  switch (block.kind) {
    case "quote":
      return 1 + countBlocks(block.blocks);
    case "list":
      return block.items.reduce((sum, item) => sum + 1 + countBlocks(item), 1);
    case "table":
      return [block.head, ...block.rows].reduce(
        (sum, row) => sum + 1 + row.reduce((cells, cell) => cells + 1 + countInlines(cell), 0),
        1,
      );
    case "heading":
    case "paragraph":
      return 1 + countInlines(block.content);
    default:
      return 1;
  }
}

for (const [shape, make] of Object.entries(HOSTILE)) {
  test(`parsing takes linear time: ${shape}`, () => {
    const endless = { length: Infinity, nodes: Infinity };
    const steps = SIZES.map((length) => measureMarkdown(make(length), endless).steps);
    steps.slice(1).forEach((count, index) => {
      const before = steps[index] ?? 0;
      assert.ok(count <= 2.3 * before + 1000, `${SIZES[index + 1]}: ${count} steps after ${before}`);
    });
    const [longest = 0] = SIZES.slice(-1);
    assert.ok((steps.at(-1) ?? 0) <= 128 * longest, `${steps.at(-1)} steps for ${longest} characters`);
  });

  test(`the tree has a bounded number of nodes: ${shape}`, () => {
    for (const length of SIZES) {
      const text = make(length);
      const blocks = parseMarkdown(text);
      const nodes = countBlocks(blocks);
      assert.ok(nodes <= 2 * LIMITS.nodes + 2 * MAX_COLUMNS, `${length}: ${nodes} nodes`);
      const isCut = JSON.stringify(blocks.at(-1) ?? null).includes(CUT);
      assert.ok(isCut || text.length <= LIMITS.length, `${length}: cut without a note`);
    }
  });
}

test("a long text is cut with a note, a short text is complete", () => {
  const note = (text: string): string => JSON.stringify(parseMarkdown(text).at(-1));
  assert.ok(note("a ".repeat(LIMITS.length)).includes(CUT));
  assert.ok(note("- a\n".repeat(LIMITS.nodes)).includes(CUT));
  assert.ok(!note("a".repeat(LIMITS.length)).includes(CUT));
});
