/** Finds the texts of the site, and builds the tables of its languages. */

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { minifySync, parseSync, Visitor, type ESTree, type Plugin } from "vite";

import { LANGUAGES, type Translate } from "./src/languages/say.ts";

const SOURCES = join(import.meta.dirname, "src");

export type Translations = Readonly<Record<string, string>>;

/** The texts of a source file, and what is wrong with them. */
export interface Texts {
  readonly texts: readonly string[];
  /** What a visitor may read but no translator can: letters outside of `say` and `mix`. */
  readonly outside: readonly string[];
  /** The modules that it imports, but for those within `rest`, which waits for the rest of the texts. */
  readonly imports: readonly string[];
}

/** Attributes whose texts nobody reads. */
const CODE = /^(class|kind|d|viewBox|type|name|role|scope|style|href|for|id|rel|sort|autocomplete)$/;
/** A sentence or a capitalized word. */
const PROSE = /^\p{Lu}\p{Ll}|\p{L} \p{L}/u;

/** Return the source files, relative to the folder of sources. */
export const listSources = (): readonly string[] => globSync("**/*.{ts,tsx}", { cwd: SOURCES }).sort();

/** Return the texts of a source file. */
export function readTexts(file: string): Texts {
  const path = join(SOURCES, file);
  const { program } = parseSync(path, readFileSync(path, "utf8"));
  return findTexts(program);
}

/** Return the texts of a syntax tree. */
export function findTexts(program: ESTree.Program): Texts {
  const texts: string[] = [];
  const strings = new Map<number, string>();
  const imports = new Map<number, string>();
  const drop = (node: ESTree.Span, from = strings): void => {
    for (const start of from.keys()) if (start >= node.start && start < node.end) from.delete(start);
  };
  const follow = (node: ESTree.Node & { readonly source: ESTree.Expression | null }): void => {
    if (node.source?.type === "Literal") imports.set(node.start, String(node.source.value));
    drop(node);
  };
  const keep = (start: number, text: string): void => {
    if (PROSE.test(text)) strings.set(start, text);
  };
  new Visitor({
    Literal: (node) => typeof node.value === "string" && keep(node.start, node.value),
    TemplateElement: (node) => keep(node.start, node.value.cooked ?? ""),
    JSXText: (node) => /\p{L}/u.test(node.value) && strings.set(node.start, node.value.trim()),
    "CallExpression:exit": (node) => {
      if (node.callee.type !== "Identifier") return;
      if (node.callee.name === "rest") drop(node, imports);
      if (!/^(say|mix)$/.test(node.callee.name)) return;
      const [text] = node.arguments;
      if (text?.type === "Literal" && typeof text.value === "string") {
        texts.push(text.value);
        drop(text);
      } else strings.set(node.start, "say() needs a text, not an expression");
    },
    "JSXAttribute:exit": (node) => {
      if (node.name.type === "JSXIdentifier" && CODE.test(node.name.name) && node.value) drop(node.value);
    },
    "JSXElement:exit": (node) => {
      if (node.openingElement.name.type === "JSXIdentifier" && node.openingElement.name.name === "code") drop(node);
    },
    "ImportDeclaration:exit": follow,
    "ImportExpression:exit": follow,
    "ExportNamedDeclaration:exit": (node) => node.source && follow(node),
    "TSLiteralType:exit": (node) => drop(node),
    "ThrowStatement:exit": (node) => drop(node),
  }).visit(program);
  return { texts, outside: [...strings.values()], imports: [...imports.values()] };
}

/** Return all texts of the site. */
export const listTexts = (): readonly string[] =>
  [...new Set(listSources().flatMap((file) => readTexts(file).texts))].sort();

/** Return the texts of what the site loads without waiting for the rest: the boards, and what every page has. */
export function listFirstTexts(): ReadonlySet<string> {
  const [sources, reached] = [listSources(), new Set(["main.tsx"])];
  const texts = new Set<string>();
  for (const file of reached) {
    const source = readTexts(file);
    source.texts.forEach((text) => texts.add(text));
    source.imports
      .map((name) => join(dirname(file), name))
      .filter((name) => sources.includes(name))
      .forEach((name) => reached.add(name));
  }
  return texts;
}

/** Return the translations of a language, by the English texts. */
export const readTranslations = (id: string): Translations =>
  JSON.parse(readFileSync(join(SOURCES, "languages", `${id}.json`), "utf8"));

/** The texts of a language, each in a place that the English one has: with the seed of its group no two share one. */
export interface Table {
  readonly seeds: readonly number[];
  readonly texts: readonly string[];
}

/** Return the table of a language; a text without a translation stays English. */
export function makeTable(texts: readonly string[], translations: Translations): Table {
  const seeds = findSeeds(texts);
  const placed = [...texts];
  for (const text of texts) {
    const seed = seeds[hashText(text, 0) % seeds.length] ?? 0;
    placed[hashText(text, seed) % texts.length] = translations[text] ?? text;
  }
  return { seeds, texts: placed };
}

/** Return the seed of each group, with which its texts have places that no others have; the largest group chooses first. */
function findSeeds(texts: readonly string[]): readonly number[] {
  const groups: string[][] = Array.from({ length: Math.ceil(texts.length / 3) }, () => []);
  for (const text of texts) groups[hashText(text, 0) % groups.length]?.push(text);
  const taken = new Set<number>();
  const seeds = new Map<readonly string[], number>();
  for (const group of [...groups].sort((a, b) => b.length - a.length)) {
    let seed = 0;
    let places: Set<number>;
    do {
      seed++;
      places = new Set(group.map((text) => hashText(text, seed) % texts.length));
    } while (places.size < group.length || [...places].some((place) => taken.has(place)));
    places.forEach((place) => taken.add(place));
    seeds.set(group, seed);
  }
  return groups.map((group) => seeds.get(group) ?? 0);
}

/** Return a hash of a text: FNV-1a with a seed. */
function hashText(text: string, seed: number): number {
  for (const character of text) seed = Math.imul(seed ^ character.charCodeAt(0), 16777619);
  return (seed ^ (seed >>> 15)) >>> 0;
}

/** Return what translates by a table. The file of a language consists of this function, its hash and the table. */
export function makeTranslate(hash: typeof hashText, id: string, { seeds, texts }: Table): Translate {
  const order = ["one", "other", "many", "few", "two", "zero"];
  const plurals = new Intl.PluralRules(id);
  return (text, count) => {
    const seed = seeds[hash(text, 0) % seeds.length] ?? 0;
    // Of a text that is not loaded, the place is empty.
    const forms = (texts[hash(text, seed) % texts.length] || text).split("|");
    return forms[order.indexOf(plurals.select(Number(count)))] ?? forms[1] ?? forms[0] ?? text;
  };
}

/** Return the two files of a language: of the first texts, which begins to load the other one, and of the rest. */
export function writeLanguage(
  id: string,
  { seeds, texts }: Table,
  isFirst: readonly boolean[],
  rest: string,
): readonly [first: string, rest: string] {
  const table = { seeds, texts: texts.map((text, at) => (isFirst[at] ? text : "")) };
  const first = `
    const table = ${JSON.stringify(table)};
    const take = ({ default: rest }) => table.texts.forEach((text, at) => (table.texts[at] ||= rest.shift()));
    export default (${makeTranslate})(${hashText}, ${JSON.stringify(id)}, table);
    export const more = import(${JSON.stringify(rest)}).then(take, () => undefined);
  `;
  const others = `export default ${JSON.stringify(texts.filter((_, at) => !isFirst[at]))};`;
  return [minifySync(`${id}.js`, first).code, minifySync(rest, others).code];
}

/** Writes the languages beside the scripts; the names of all their files change with any of them. */
export function buildLanguages(): Plugin {
  const [texts, first] = [listTexts(), listFirstTexts()];
  const tables = LANGUAGES.filter((id) => id !== "en").map(
    (id) => [id, makeTable(texts, readTranslations(id))] as const,
  );
  const order = makeTable(texts, {}).texts.map((text) => first.has(text));
  const name = createHash("sha256")
    .update(JSON.stringify([tables, order]))
    .digest("base64url")
    .slice(0, 8);
  return {
    name: "languages",
    apply: "build",
    config: () => ({ define: { FILES: JSON.stringify(name) } }),
    generateBundle() {
      for (const [id, table] of tables) {
        const names = [`${name}.${id}.js`, `${name}.${id}.rest.js`];
        writeLanguage(id, table, order, `./${names[1]}`).forEach((source, index) =>
          this.emitFile({ type: "asset", fileName: `assets/languages/${names[index]}`, source }),
        );
      }
    },
  };
}
