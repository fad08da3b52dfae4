/** The formats of results, as the API knows them. */

import type { ResultFormatName } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";

/** Format, which is also the ending of files → media type. */
export const MEDIA_TYPES: Readonly<Record<ResultFormatName, string>> = {
  json: "application/json",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  jsonl: "application/jsonl",
  txt: "text/plain",
  npy: "application/x-npy",
  zip: "application/zip",
};

/** Return the format that the ending of a file's name says. */
export const formatOf = (name: string): ResultFormatName | undefined =>
  (Object.keys(MEDIA_TYPES) as ResultFormatName[]).find((format) => name.toLowerCase().endsWith(`.${format}`));

export const isText = (format: ResultFormatName): boolean => format !== "npy" && format !== "zip";

/** Return the endings of formats, `.csv, .json`. */
export const listEndings = (formats: readonly ResultFormatName[]): string =>
  formats.map((format) => `.${format}`).join(", ");

export const NOT_UTF8 = say("The file is not in UTF-8. Save it as UTF-8.");

/** Return what a file holds as text; null if it is none in UTF-8, as with a NUL. */
export function readText(content: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
