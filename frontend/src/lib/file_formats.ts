/** The formats of results, as the API knows them. */

import type { ResultFormatName } from "../api/generated/types.ts";

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
