/** The site's texts in the visitor's language: English is in the code, and each other language in a file of its own. */

import type { ComponentChildren } from "preact";

/** The languages of the site. */
export const LANGUAGES: readonly string[] = ["en", "de", "es", "fr", "vi", "zh-Hans"];

/** Returns a text in a language; of a text with forms, the one of a count. */
export type Translate = (text: string, count: unknown) => string;

/** What the names of the languages' files begin with; the build sets it. */
declare const FILES: string | undefined;

/** Return the first of the visitor's languages that the site has, else English. */
export const chooseLanguage = (wanted: readonly (string | null)[]): string =>
  wanted.flatMap((tag) => LANGUAGES.filter((id) => id.slice(0, 2) === tag?.slice(0, 2)))[0] ?? "en";

/** Return the visitor's language. That of the address is kept for the next visits. */
function findLanguage(): string {
  const asked = new URLSearchParams(location.search).get("lang");
  let stored = null;
  try {
    if (asked && LANGUAGES.includes(asked)) localStorage.language = asked;
    stored = localStorage.getItem("language");
  } catch {
    // Nothing is kept where the browser forbids it.
  }
  return chooseLanguage([asked, stored, ...navigator.languages]);
}

const inEnglish: Translate = (text, count) => text.split("|")[count === 1 ? 0 : 1] ?? text;
const wanted = typeof FILES === "undefined" ? "en" : findLanguage();
// All modules of the site wait for the language, so that no text is English first.
const loaded: { readonly default: Translate; readonly more: Promise<unknown> } | null =
  wanted === "en" ? null : await import(/* @vite-ignore */ `./languages/${FILES}.${wanted}.js`).catch(() => null);
const translate = loaded?.default ?? inEnglish;

/** Comes when the texts are loaded that only some pages have. */
export const more = loaded?.more;
/** The language that the page is in. */
export const language = loaded ? wanted : "en";
/** What `Intl` formats numbers, dates and times by. */
export const locale = loaded ? wanted : "en-GB";

const counts = new Intl.NumberFormat(locale);

/** Return a whole number with separators: `10,000`. */
export const formatCount = (value: number): string => counts.format(value);

type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Values<Text, Value> = [Names<Text>] extends [never] ? [] : [values: Readonly<Record<Names<Text>, Value>>];

/**
 * Return a text in the visitor's language.
 *
 * @param text The English text. `{name}` stands for a value. Of the forms `one|other`, the value of `count` chooses.
 * @param values The values, by their names. Numbers get separators.
 */
export const say = <const Text extends string>(text: Text, ...values: Values<Text, string | number>): string =>
  fill(text, ...values).join("");

/** Return a text in the visitor's language as children of an element: its values may be elements. */
export const mix = <const Text extends string>(text: Text, ...values: Values<Text, ComponentChildren>) =>
  fill(text, ...values);

const fill = (text: string, values: Readonly<Record<string, ComponentChildren>> = {}): ComponentChildren[] =>
  translate(text, values.count)
    .split(/[{}]/)
    .map((piece, index) => (index % 2 === 0 ? piece : formatValue(values[piece])));

const formatValue = (value: ComponentChildren): ComponentChildren =>
  typeof value === "number" ? formatCount(value) : value;
