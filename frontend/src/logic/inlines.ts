/**
 * What stands in a line of Markdown → a tree: code, emphasis, links. A mark without its partner is text.
 *
 * One pass with a stack of open marks. At most one mark of each kind is open, a link holds no link, and the addresses
 * that are looked at do not overlap: so each character is looked at a bounded number of times, and no tree is deep.
 */

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly content: readonly Inline[] }
  | { readonly kind: "link"; readonly url: string; readonly content: readonly Inline[] };

/** What a parser has done, and what it may still do. */
export interface Work {
  /** Characters that were looked at and nodes that were moved, so far. */
  steps: number;
  /** Nodes that may still be made; text that comes later stays in one piece. */
  nodes: number;
}

interface Opener {
  readonly mark: string;
  /** Where its own text is among the nodes. */
  readonly node: number;
}

const MAX_URL = 2000;

/** Parses a text without blocks. */
export function parseInline(text: string, work: Work = { steps: 0, nodes: Infinity }): readonly Inline[] {
  const nodes: Inline[] = [];
  let openers: Opener[] = [];
  let plain = "";
  let at = 0;
  const ticks = pairTicks(text, work);
  const open = (mark: string): void => {
    push({ kind: "text", text: mark });
    openers.push({ mark, node: nodes.length - 1 });
  };
  const push = (node: Inline): void => {
    if (plain !== "") nodes.push({ kind: "text", text: plain });
    plain = "";
    if (node.kind !== "text") work.nodes -= 2;
    nodes.push(node);
  };
  // Takes what stands behind an opener out of the nodes; marks within that found no partner are text.
  const close = (index: number): readonly Inline[] => {
    const node = openers[index]?.node ?? nodes.length;
    push({ kind: "text", text: "" });
    const content = nodes.splice(node);
    work.steps += content.length;
    openers.length = index;
    return joinTexts(content.slice(1));
  };
  const findOpener = (mark: string): number => {
    const index = openers.findLastIndex((one) => one.mark === mark);
    work.steps += openers.length - index;
    return index;
  };
  // Where the content of each open mark of emphasis begins.
  const starts = new Map<string, number>();
  const forget = (from: number): void => {
    for (const one of openers.slice(from)) starts.delete(one.mark);
  };

  while (at < text.length) {
    const character = text[at] ?? "";
    work.steps++;
    if (work.nodes <= 0) {
      plain += text.slice(at);
      break;
    }
    switch (character) {
      case "\\": {
        const escaped = isPunctuation(text[at + 1]);
        plain += escaped ? text[at + 1] : character;
        at += escaped ? 2 : 1;
        break;
      }
      case "`": {
        const span = ticks.get(at);
        if (span?.close !== undefined) push({ kind: "code", text: trimCode(text.slice(at + span.length, span.close)) });
        else plain += text.slice(at, at + (span?.length ?? 1));
        at = span?.close === undefined ? at + (span?.length ?? 1) : span.close + span.length;
        break;
      }
      case "<": {
        const end = findEnd(text, at + 1, work);
        const url = text[end] === ">" ? readUrl(text.slice(at + 1, end)) : null;
        if (url === null) plain += character;
        else push({ kind: "link", url, content: [{ kind: "text", text: url }] });
        at = url === null ? at + 1 : end + 1;
        break;
      }
      case "[":
        open(character);
        at++;
        break;
      case "]": {
        const index = findOpener("[");
        const end = index >= 0 && text[at + 1] === "(" ? findEnd(text, at + 2, work) : -1;
        const url = text[end] === ")" ? readUrl(text.slice(at + 2, end)) : null;
        if (url === null) {
          // This pair is text; what is emphasized around it goes on.
          if (index >= 0) openers.splice(index, 1);
          plain += character;
          at++;
          break;
        }
        forget(index);
        push({ kind: "link", url, content: close(index) });
        // Around a link there is no other one.
        openers = openers.filter((one) => one.mark !== "[");
        at = end + 1;
        break;
      }
      case "*":
      case "_": {
        const mark = readMark(text, at, openers.at(-1)?.mark);
        const inWord = (place: number): boolean => character === "_" && isWord(text[place]);
        const start = starts.get(mark);
        if (start !== undefined && start < at && !isSpace(text[at - 1]) && !inWord(at + mark.length)) {
          const index = findOpener(mark);
          forget(index);
          push({ kind: mark.length === 2 ? "strong" : "emphasis", content: close(index) });
        } else if (start === undefined && !isSpace(text[at + mark.length]) && !inWord(at - 1)) {
          open(mark);
          starts.set(mark, at + mark.length);
        } else {
          plain += mark;
        }
        at += mark.length;
        break;
      }
      default:
        plain += character;
        at++;
    }
  }
  push({ kind: "text", text: "" });
  work.steps += nodes.length;
  return joinTexts(nodes);
}

/** Gives `*` or `**`: two where there are two, but one where the innermost open mark is one and three stand here. */
function readMark(text: string, at: number, innermost: string | undefined): string {
  const character = text[at] ?? "";
  const two = text[at + 1] === character && !(innermost === character && text[at + 2] === character);
  return two ? character + character : character;
}

interface Ticks {
  readonly length: number;
  /** Where the next run of the same length begins. */
  readonly close: number | undefined;
}

/** Gives, by its place, each run of backticks, and where the next one of its length is. */
function pairTicks(text: string, work: Work): ReadonlyMap<number, Ticks> {
  const runs = new Map<number, Ticks>();
  const next = new Map<number, number>();
  work.steps += text.length;
  for (let end = text.length; end > 0; end--) {
    if (text[end - 1] !== "`") continue;
    let start = end - 1;
    while (text[start - 1] === "`") start--;
    const length = end - start;
    runs.set(start, { length, close: next.get(length) });
    next.set(length, start);
    end = start + 1;
  }
  return runs;
}

/** Gives where an address ends: what ends it also begins the next one, so that none is looked at twice. */
function findEnd(text: string, from: number, work: Work): number {
  let end = from;
  while (end < text.length && !isSpace(text[end]) && !"<>[])".includes(text[end] ?? "")) end++;
  work.steps += end - from + 1;
  return end;
}

/** Gives an address that may be linked to: http or https, nothing else. */
function readUrl(text: string): string | null {
  if (text.length > MAX_URL || !/^https?:\/\//i.test(text)) return null;
  try {
    return new URL(text).href;
  } catch {
    return null;
  }
}

/** Takes the space away that only keeps the ticks apart from the code. */
function trimCode(code: string): string {
  const line = code.replaceAll("\n", " ");
  const apart = line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "";
  return apart ? line.slice(1, -1) : line;
}

function joinTexts(nodes: readonly Inline[]): readonly Inline[] {
  const joined: Inline[] = [];
  let text = "";
  for (const node of nodes) {
    if (node.kind === "text") {
      text += node.text;
      continue;
    }
    if (text !== "") joined.push({ kind: "text", text });
    text = "";
    joined.push(node);
  }
  if (text !== "") joined.push({ kind: "text", text });
  return joined;
}

const isSpace = (character: string | undefined): boolean => character === undefined || character.trim() === "";
const isWord = (character: string | undefined): boolean => character !== undefined && /\w/.test(character);
const isPunctuation = (character: string | undefined): boolean =>
  character !== undefined && /[!-/:-@[-`{-~]/.test(character);
