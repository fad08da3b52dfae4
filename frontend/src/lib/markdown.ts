/**
 * Parses a subset of Markdown into a tree, never HTML: headings, paragraphs, lists, tables, quotes, code, emphasis,
 * links. Tags are text. Each line is examined once at each depth, of which there are few. Length and number of nodes
 * are bounded: the rest is left out, and a last paragraph says so.
 */

import { say } from "../languages/say.ts";
import { parseInline, type Inline, type Work } from "./inlines.ts";

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly content: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "table"; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "rule" };

export type Cell = readonly Inline[];

export interface Limits {
  /** UTF-16 code units to read. */
  readonly length: number;
  /** Blocks, items, rows, cells and spans to make. */
  readonly nodes: number;
}

export const LIMITS: Limits = { length: 65_536, nodes: 10_000 };
/** A wider table is shown as plain text. */
export const MAX_COLUMNS = 64;
export const CUT = say("This text is too long. Only its beginning is shown.");
const MAX_DEPTH = 8;

/** Parse a text with any kind of line ends. */
export const parseMarkdown = (text: string): readonly Block[] => measureMarkdown(text).blocks;

/** Parse a text within limits, and count the characters that were examined and the nodes that were made. */
export function measureMarkdown(text: string, limits: Limits = LIMITS) {
  const work: Work = { steps: Math.min(text.length, limits.length), nodes: limits.nodes };
  const lines = text.slice(0, limits.length).replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
  const blocks = parseBlocks(lines, 0, work);
  const cut = text.length > limits.length || work.nodes <= 0;
  const note: Block = { kind: "paragraph", content: [{ kind: "emphasis", content: [{ kind: "text", text: CUT }] }] };
  return { blocks: cut ? [...blocks, note] : blocks, steps: work.steps, nodes: limits.nodes - work.nodes };
}

type Kind = "blank" | "heading" | "fence" | "rule" | "quote" | "bullet" | "text";

/** A classified line. */
interface Line {
  readonly text: string;
  readonly kind: Kind;
  /** Spaces at its start. */
  readonly spaces: number;
  /** Characters of its mark: `##`, three ticks, `-`, `12.`. */
  readonly mark: string;
  readonly bars: number;
  /** Whether it can be the line below a table's head. */
  readonly delimits: boolean;
}

// The first match decides. A rule is matched without its spaces.
const STARTS: readonly (readonly [Kind, RegExp])[] = [
  ["blank", /^\s*$/],
  ["heading", /^ {0,3}(#{1,6})(?: |$)/],
  ["fence", /^ {0,3}(`{3,}|~{3,})/],
  ["rule", /^(?:-{3,}|\*{3,}|_{3,})$/],
  ["quote", /^>/],
  ["bullet", /^ {0,3}([-*+]|\d{1,9}[.)]) /],
];

function readLine(text: string, work: Work): Line {
  work.steps += (STARTS.length + 4) * text.length + 1;
  const spaces = /^ */.exec(text)?.[0].length ?? 0;
  const bars = text.split("|").length - 1;
  const delimits = bars > 0 && text.includes("-") && /^[|\s:-]+$/.test(text);
  for (const [kind, start] of STARTS) {
    const match = start.exec(kind === "rule" && spaces < 4 ? text.replaceAll(" ", "") : text);
    if (match) return { text, kind, spaces, mark: match[1] ?? "", bars, delimits };
  }
  return { text, kind: "text", spaces, mark: "", bars, delimits };
}

function parseBlocks(texts: readonly string[], depth: number, work: Work): readonly Block[] {
  const lines = texts.map((text) => readLine(text, work));
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length && work.nodes > 0) {
    if (lines[at]?.kind === "blank") {
      at++;
      continue;
    }
    work.nodes--;
    const [block, next] = parseBlock(lines, at, depth, work);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

type Lines = readonly Line[];

function parseBlock(lines: Lines, at: number, depth: number, work: Work): readonly [Block, number] {
  const line = lines[at];
  if (line?.kind === "heading") {
    const content = parseInline(readTitle(line), work);
    return [{ kind: "heading", level: line.mark.length, content }, at + 1];
  }
  if (line?.kind === "fence") return parseFence(lines, at, line.mark, work);
  if (line?.kind === "rule") return [{ kind: "rule" }, at + 1];
  if (line?.kind === "quote" && depth < MAX_DEPTH) return parseQuote(lines, at, depth, work);
  if (line?.kind === "bullet" && depth < MAX_DEPTH) return parseList(lines, at, depth, work);
  if (startsTable(lines, at)) return parseTable(lines, at, work);
  return parseParagraph(lines, at, work);
}

/** Return the text of a heading without the marks around it. */
function readTitle({ text, spaces, mark }: Line): string {
  const title = text.slice(spaces + mark.length).trim();
  let end = title.length;
  while (title[end - 1] === "#") end--;
  return end === 0 || title[end - 1] === " " ? title.slice(0, end).trim() : title;
}

function parseFence(lines: Lines, at: number, fence: string, work: Work): readonly [Block, number] {
  const isEnd = (text: string): boolean => {
    work.steps += text.length;
    return text.trim().startsWith(fence);
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end]?.text ?? "")) end++;
  return [{ kind: "code", text: textsOf(lines, at + 1, end).join("\n") }, end + 1];
}

function parseQuote(lines: Lines, at: number, depth: number, work: Work): readonly [Block, number] {
  let end = at;
  while (lines[end]?.kind === "quote") end++;
  const inner = textsOf(lines, at, end).map((text) => text.slice(text[1] === " " ? 2 : 1));
  return [{ kind: "quote", blocks: parseBlocks(inner, depth + 1, work) }, end];
}

function parseList(lines: Lines, at: number, depth: number, work: Work): readonly [Block, number] {
  const ordered = isOrdered(lines[at]);
  const items: string[][] = [];
  let indent = 0;
  let end = at;
  for (let line = lines[end]; line !== undefined; line = lines[++end]) {
    const within = items.length > 0 && line.spaces >= indent;
    if (line.kind === "bullet" && !within && isOrdered(line) === ordered) {
      indent = line.spaces + line.mark.length;
      while (line.text[indent] === " ") indent++;
      work.steps += indent;
      items.push([line.text.slice(indent)]);
    } else if (line.kind === "blank") {
      const next = lines[end + 1];
      if (next === undefined || (next.spaces < indent && next.kind !== "bullet")) break;
      items.at(-1)?.push("");
    } else if (within) {
      items.at(-1)?.push(line.text.slice(indent));
    } else if (lines[end - 1]?.kind === "blank" || startsBlock(lines, end)) {
      break;
    } else {
      items.at(-1)?.push(line.text.trimStart());
    }
  }
  const shown: (readonly Block[])[] = [];
  for (const item of items) {
    if (work.nodes <= 0) break;
    work.nodes--;
    shown.push(parseBlocks(item, depth + 1, work));
  }
  return [{ kind: "list", ordered, items: shown }, end];
}

const isOrdered = (line: Line | undefined): boolean => (line?.mark.length ?? 0) > 1;

function startsTable(lines: Lines, at: number): boolean {
  const bars = lines[at]?.bars ?? 0;
  return bars > 0 && bars <= MAX_COLUMNS + 1 && (lines[at + 1]?.delimits ?? false);
}

function parseTable(lines: Lines, at: number, work: Work): readonly [Block, number] {
  const head = splitCells(lines[at]?.text ?? "", MAX_COLUMNS, work);
  const rows: (readonly Cell[])[] = [];
  const parseRow = (cells: readonly string[]): readonly Cell[] => {
    work.nodes -= 2 + cells.length;
    return cells.map((cell) => parseInline(cell, work));
  };
  const first = parseRow(head);
  let end = at + 2;
  for (; (lines[end]?.bars ?? 0) > 0 && work.nodes > 0; end++) {
    rows.push(parseRow(splitCells(lines[end]?.text ?? "", head.length, work)));
  }
  return [{ kind: "table", head: first, rows }, end];
}

/** Split a line of a table at its bars, except those after a backslash or inside code. */
function splitCells(line: string, most: number, work: Work): readonly string[] {
  const trimmed = line.trim();
  const text = trimmed.slice(
    trimmed.startsWith("|") ? 1 : 0,
    trimmed.length > 1 && trimmed.endsWith("|") ? -1 : undefined,
  );
  const cells = [""];
  let code = false;
  work.steps += line.length;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\\" && text[at + 1] === "|") {
      cells[cells.length - 1] += "|";
      at++;
    } else if (character === "|" && !code) {
      if (cells.length === most) break;
      cells.push("");
    } else {
      if (character === "`") code = !code;
      cells[cells.length - 1] += character;
    }
  }
  return cells.map((cell) => cell.trim());
}

const startsBlock = (lines: Lines, at: number): boolean =>
  (lines[at]?.kind ?? "blank") !== "text" || startsTable(lines, at);

function parseParagraph(lines: Lines, at: number, work: Work): readonly [Block, number] {
  let end = at + 1;
  while (end < lines.length && !startsBlock(lines, end)) end++;
  const text = textsOf(lines, at, end)
    .map((line) => line.trim())
    .join("\n");
  return [{ kind: "paragraph", content: parseInline(text, work) }, end];
}

const textsOf = (lines: Lines, from: number, to: number): readonly string[] =>
  lines.slice(from, to).map((line) => line.text);
