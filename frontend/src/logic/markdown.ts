/**
 * A small part of Markdown → a tree, never HTML: headings, paragraphs, lists, tables, quotes, code, emphasis, links.
 * Tags are text. Every character is looked at a bounded number of times, whatever the text.
 */

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly content: readonly Inline[] }
  | { readonly kind: "link"; readonly url: string; readonly content: readonly Inline[] };

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly content: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "table"; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: "rule" };

export type Cell = readonly Inline[];

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?: +|$)(.*)$/;
const BULLET = /^( {0,3})([-*+]|\d{1,9}[.)]) +(.*)$/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const DELIMITERS = /^[|\s:-]*-[|\s:-]*$/;
const MAX_DEPTH = 8;

/** Parses a text; lines may end in any way. */
export function parseMarkdown(text: string): readonly Block[] {
  return parseBlocks(text.replace(/\r\n?/g, "\n").split("\n"), 0);
}

function parseBlocks(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const [block, next] = line.trim() === "" ? [null, at + 1] : parseBlock(lines, at, depth);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

function parseBlock(lines: readonly string[], at: number, depth: number): readonly [Block, number] {
  const line = lines[at] ?? "";
  const heading = HEADING.exec(line);
  if (heading) {
    const title = (heading[2] ?? "").replace(/ +#+ *$/, "");
    return [{ kind: "heading", level: heading[1]?.length ?? 1, content: parseInline(title) }, at + 1];
  }
  if (FENCE.test(line)) return parseFence(lines, at);
  if (RULE.test(line)) return [{ kind: "rule" }, at + 1];
  if (line.startsWith(">") && depth < MAX_DEPTH) return parseQuote(lines, at, depth);
  if (BULLET.test(line) && depth < MAX_DEPTH) return parseList(lines, at, depth);
  if (startsTable(lines, at)) return parseTable(lines, at);
  return parseParagraph(lines, at);
}

function parseFence(lines: readonly string[], at: number): readonly [Block, number] {
  const fence = FENCE.exec(lines[at] ?? "")?.[1] ?? "```";
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? "").trim().startsWith(fence)) end++;
  return [{ kind: "code", text: lines.slice(at + 1, end).join("\n") }, end + 1];
}

function parseQuote(lines: readonly string[], at: number, depth: number): readonly [Block, number] {
  let end = at;
  while (end < lines.length && (lines[end] ?? "").startsWith(">")) end++;
  const inner = lines.slice(at, end).map((line) => line.replace(/^> ?/, ""));
  return [{ kind: "quote", blocks: parseBlocks(inner, depth + 1) }, end];
}

function parseList(lines: readonly string[], at: number, depth: number): readonly [Block, number] {
  const ordered = /^ *\d/.test(lines[at] ?? "");
  const items: string[][] = [];
  let indent = 0;
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    const bullet = RULE.test(line) ? null : BULLET.exec(line);
    const inner = items.length > 0 && (bullet?.[1] ?? "").length >= indent;
    if (bullet && !inner && /\d/.test(bullet[2] ?? "") === ordered) {
      indent = line.length - (bullet[3] ?? "").length;
      items.push([bullet[3] ?? ""]);
    } else if (line.trim() === "") {
      const next = lines[end + 1] ?? "";
      if (!next.startsWith(" ".repeat(indent)) && !BULLET.test(next)) break;
      items.at(-1)?.push("");
    } else if (line.startsWith(" ".repeat(indent))) {
      items.at(-1)?.push(line.slice(indent));
    } else if ((lines[end - 1] ?? "").trim() === "" || startsBlock(lines, end)) {
      break;
    } else {
      items.at(-1)?.push(line.trimStart());
    }
  }
  return [{ kind: "list", ordered, items: items.map((item) => parseBlocks(item, depth + 1)) }, end];
}

function startsTable(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1] ?? "";
  return (lines[at] ?? "").includes("|") && next.includes("|") && DELIMITERS.test(next);
}

function parseTable(lines: readonly string[], at: number): readonly [Block, number] {
  let end = at + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end++;
  const head = splitCells(lines[at] ?? "");
  // Each row is as long as the head, as GitHub's tables are.
  const rows = lines.slice(at + 2, end).map((line) => {
    const cells = splitCells(line);
    return head.map((_, column) => parseInline(cells[column] ?? ""));
  });
  return [{ kind: "table", head: head.map(parseInline), rows }, end];
}

/** Cuts a line of a table at its bars; a bar behind a backslash or inside code is none. */
function splitCells(line: string): readonly string[] {
  const cells = [""];
  let code = false;
  const text = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "\\" && text[at + 1] === "|") {
      cells[cells.length - 1] += "|";
      at++;
    } else if (character === "|" && !code) {
      cells.push("");
    } else {
      if (character === "`") code = !code;
      cells[cells.length - 1] += character;
    }
  }
  return cells.map((cell) => cell.trim());
}

function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    BULLET.test(line) ||
    line.startsWith(">") ||
    startsTable(lines, at)
  );
}

function parseParagraph(lines: readonly string[], at: number): readonly [Block, number] {
  let end = at + 1;
  while (end < lines.length && (lines[end] ?? "").trim() !== "" && !startsBlock(lines, end)) end++;
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join("\n");
  return [{ kind: "paragraph", content: parseInline(text) }, end];
}

/** Parses what stands in a line: code, links, emphasis; a mark without its partner is text. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const found: Inline[] = [];
  let plain = "";
  let at = 0;
  const flush = (): void => {
    if (plain !== "") found.push({ kind: "text", text: plain });
    plain = "";
  };
  while (at < text.length) {
    const span = depth < MAX_DEPTH ? parseSpan(text, at, depth) : null;
    if (span) {
      flush();
      found.push(span.inline);
      at = span.end;
    } else {
      const escaped = text[at] === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "");
      plain += text[escaped ? at + 1 : at];
      at += escaped ? 2 : 1;
    }
  }
  flush();
  return found;
}

interface Span {
  readonly inline: Inline;
  readonly end: number;
}

// How far a mark is looked for its partner: keeps a text of nothing but marks from taking forever.
const REACH = 2000;

function parseSpan(text: string, at: number, depth: number): Span | null {
  switch (text[at]) {
    case "`":
      return parseCode(text, at);
    case "[":
      return parseLink(text, at, depth);
    case "<":
      return parseAddress(text, at);
    case "*":
    case "_":
      return parseEmphasis(text, at, depth);
    default:
      return null;
  }
}

function parseCode(text: string, at: number): Span | null {
  const ticks = /^`+/.exec(text.slice(at, at + 10))?.[0] ?? "`";
  const end = indexWithin(text, ticks, at + ticks.length);
  if (end < 0) return null;
  const code = text.slice(at + ticks.length, end).replaceAll("\n", " ");
  return {
    inline: { kind: "code", text: /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code },
    end: end + ticks.length,
  };
}

function parseLink(text: string, at: number, depth: number): Span | null {
  const middle = indexWithin(text, "](", at + 1);
  const end = middle < 0 ? -1 : indexWithin(text, ")", middle + 2);
  if (end < 0) return null;
  const url = readUrl(text.slice(middle + 2, end).trim());
  if (url === null) return null;
  return { inline: { kind: "link", url, content: parseInline(text.slice(at + 1, middle), depth + 1) }, end: end + 1 };
}

function parseAddress(text: string, at: number): Span | null {
  const end = indexWithin(text, ">", at + 1);
  const url = end < 0 ? null : readUrl(text.slice(at + 1, end));
  return url === null ? null : { inline: { kind: "link", url, content: [{ kind: "text", text: url }] }, end: end + 1 };
}

function parseEmphasis(text: string, at: number, depth: number): Span | null {
  const mark = text[at] ?? "";
  const double = text[at + 1] === mark;
  const marks = double ? mark + mark : mark;
  const start = at + marks.length;
  if (/\s/.test(text[start] ?? " ") || (mark === "_" && /\w/.test(text[at - 1] ?? ""))) return null;
  const reach = text.slice(0, start + REACH);
  let end = reach.indexOf(marks, start);
  while (end >= 0 && (/\s/.test(text[end - 1] ?? "") || (mark === "_" && /\w/.test(text[end + marks.length] ?? "")))) {
    end = reach.indexOf(marks, end + marks.length);
  }
  if (end <= start) return null;
  const content = parseInline(text.slice(start, end), depth + 1);
  return { inline: { kind: double ? "strong" : "emphasis", content }, end: end + marks.length };
}

function indexWithin(text: string, wanted: string, from: number): number {
  const found = text.slice(from, from + REACH).indexOf(wanted);
  return found < 0 ? -1 : from + found;
}

/** Gives an address that may be linked to: http or https, nothing else. */
function readUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || /\s/.test(text)) return null;
  try {
    return new URL(text).href;
  } catch {
    return null;
  }
}
