/**
 * Parses the inline part of Markdown into a tree: code, emphasis, links. A mark without a partner is text.
 *
 * There is one pass. At most one mark of each kind is open, a link contains no link, and the URLs that are examined do
 * not overlap. So each character is examined a bounded number of times, and no tree is deep.
 */

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly content: readonly Inline[] }
  | { readonly kind: "link"; readonly url: string; readonly content: readonly Inline[] };

/** What a parser has done so far, and what it may still do. */
export interface Work {
  /** Characters that were examined and nodes that were moved. */
  steps: number;
  /** Nodes that may still be made. Once there are none, the rest of a text is one node. */
  nodes: number;
}

type Wrapper = { readonly kind: "strong" | "emphasis" } | { readonly kind: "link"; readonly url: string };

const MAX_URL = 2000;

/** Parse a text without blocks. */
export function parseInline(text: string, work: Work = { steps: 0, nodes: Infinity }): readonly Inline[] {
  const nodes: Inline[] = [];
  // Each open mark, in order, and the index of its own text among the nodes.
  const open = new Map<string, number>();
  const ticks = pairTicks(text);
  let plain = "";
  let at = 0;
  work.steps += 3 * text.length;
  const push = (node?: Inline): void => {
    if (plain !== "") nodes.push({ kind: "text", text: plain });
    plain = "";
    if (node) nodes.push(node);
    if (node && node.kind !== "text") work.nodes -= 2;
  };
  const begin = (mark: string): void => {
    push({ kind: "text", text: mark });
    open.delete(mark);
    open.set(mark, nodes.length - 1);
  };
  // Replace the nodes after an open mark by one node. Open marks among them found no partner, so they become text.
  const wrap = (mark: string, wrapper: Wrapper): void => {
    push();
    const first = open.get(mark) ?? 0;
    const content = nodes.splice(first).slice(1);
    work.steps += content.length;
    for (const [other, index] of open) if (index >= first) open.delete(other);
    push({ ...wrapper, content: joinTexts(content) });
  };

  while (at < text.length) {
    let piece = work.nodes > 0 ? text.charAt(at) : text.slice(at);
    let end = 0;
    if (piece === "\\" && PUNCTUATION.test(text.charAt(at + 1))) {
      at++;
      piece = text.charAt(at);
    } else if (piece === "`") {
      const run = ticks.get(at);
      piece = run?.marks ?? piece;
      if (run?.close !== undefined) {
        push({ kind: "code", text: trimCode(text.slice(at + piece.length, run.close)) });
        end = run.close + piece.length;
      }
    } else if (piece === "<" || (piece === "]" && open.has("["))) {
      const from = piece === "<" ? at + 1 : at + 2;
      const until = findEnd(text, from);
      work.steps += until - from + 1;
      const isWhole = piece === "<" ? text[until] === ">" : text[at + 1] === "(" && text[until] === ")";
      const url = isWhole ? readUrl(text.slice(from, until)) : null;
      if (url !== null && piece === "<") push({ kind: "link", url, content: [{ kind: "text", text: url }] });
      else if (url !== null) wrap("[", { kind: "link", url });
      else if (piece === "]") open.delete("[");
      if (url !== null) end = until + 1;
    } else if (piece === "[") {
      begin(piece);
      end = at + 1;
    } else if (piece === "*" || piece === "_") {
      const inWord = (index: number): boolean => text[at] === "_" && /\w/.test(text.charAt(index));
      // Two characters make one mark, except that the first of three closes an innermost open single mark.
      const closesOne = [...open.keys()].at(-1) === piece && text[at + 2] === piece;
      if (text[at + 1] === piece && !closesOne) piece += piece;
      const after = at + piece.length;
      const start = open.get(piece);
      if (start === undefined) {
        if (isVisible(text, after) && !inWord(at - 1)) {
          begin(piece);
          end = after;
        }
      } else if (isVisible(text, at - 1) && !inWord(after) && (plain !== "" || nodes.length > start + 1)) {
        wrap(piece, { kind: piece.length > 1 ? "strong" : "emphasis" });
        end = after;
      }
    }
    if (end === 0) plain += piece;
    at = end || at + piece.length;
  }
  push();
  return joinTexts(nodes);
}

interface Ticks {
  readonly marks: string;
  /** Index of the next run of the same length. */
  readonly close: number | undefined;
}

/** Return each run of backticks by its index, with the index of the next run of the same length. */
function pairTicks(text: string): ReadonlyMap<number, Ticks> {
  const runs = new Map<number, Ticks>();
  const next = new Map<string, number>();
  for (const { 0: marks, index } of [...text.matchAll(/`+/g)].reverse()) {
    runs.set(index, { marks, close: next.get(marks) });
    next.set(marks, index);
  }
  return runs;
}

/** Return the end of a URL. The character that ends it can begin the next one, so no character is examined twice. */
function findEnd(text: string, from: number): number {
  let end = from;
  while (isVisible(text, end) && !"<>[])".includes(text.charAt(end))) end++;
  return end;
}

/** Return the normalized URL if it is http or https, else null. */
function readUrl(text: string): string | null {
  if (text.length > MAX_URL || !/^https?:\/\//i.test(text)) return null;
  try {
    return new URL(text).href;
  } catch {
    return null;
  }
}

/** Remove the spaces that only separate the ticks from the code. */
function trimCode(code: string): string {
  const line = code.replaceAll("\n", " ");
  return line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "" ? line.slice(1, -1) : line;
}

function joinTexts(nodes: readonly Inline[]): readonly Inline[] {
  const joined: Inline[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") joined.push({ kind: "text", text });
    text = "";
  };
  for (const node of nodes) {
    if (node.kind === "text") text += node.text;
    else {
      flush();
      joined.push(node);
    }
  }
  flush();
  return joined;
}

/** Return whether the character at an index exists and is no space. */
const isVisible = (text: string, index: number): boolean => text.charAt(index).trim() !== "";
const PUNCTUATION = /[!-/:-@[-`{-~]/;
