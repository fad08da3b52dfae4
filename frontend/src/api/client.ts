/** Requests to the API and for the snapshots. Nothing here throws but an abort. */

import { SCHEMA, type BoardList, type Head, type Problem } from "./generated/types.ts";
import { MAIN } from "../lib/board/view.ts";

export type Fetched<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "missing" }
  | { readonly kind: "newer" }
  | { readonly kind: "rejected"; readonly problem: Problem }
  | { readonly kind: "failed" };

const TIMEOUT_MILLISECONDS = 20_000;

export const fetchHead = (benchmark: string, signal: AbortSignal): Promise<Fetched<Head>> =>
  fetchSnapshot<Head>(`${folderOf(benchmark, MAIN)}head.json`, signal);

/** Return the folder of a board's files of a version; without one, of what it has in any. */
export const folderOf = (benchmark: string, board: string, version?: string): string =>
  `/data/b/${benchmark}/${board === MAIN ? "" : `boards/${board}/${version ? `${version}/` : ""}`}`;

/** The versions that main boards show, by benchmark: the files of other boards have them in their addresses. */
export const versions = new Map<string, string>();

/** Fetch the list of a benchmark's boards: from the API, for `boards.json` exists only if there are several. */
export const fetchBoards = (benchmark: string, signal: AbortSignal): Promise<Fetched<BoardList>> =>
  fetchJson(`/api/benchmarks/${benchmark}/boards`, { signal });

/** Fetch JSON, or return why there is none. */
export async function fetchJson<Value>(
  url: string,
  options: RequestInit,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Fetched<Value>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    const response = await fetch(url, { credentials: "omit", ...options, signal });
    if (response.ok) return { kind: "ok", value: parse(await response.text()) as Value };
    const isProblem = response.headers.get("Content-Type")?.startsWith("application/problem+json");
    if (response.status === 404) return { kind: "missing" };
    if (response.status < 500 && isProblem) return { kind: "rejected", problem: (await response.json()) as Problem };
    return { kind: "failed" };
  } catch {
    options.signal?.throwIfAborted();
    return { kind: "failed" };
  }
}

/** The texts of heads, whose large integers are lost in numbers. */
export const texts = new WeakMap<object, string>();

/** Fetch a snapshot. By default it is revalidated by its ETag: an unchanged board costs a 304. */
export async function fetchSnapshot<Value extends { readonly schema: number }>(
  url: string,
  signal: AbortSignal,
  cache: RequestCache = "no-cache",
  parse = parseSnapshot,
): Promise<Fetched<Value>> {
  const fetched = await fetchJson<Partial<Value> | null>(url, { signal, cache }, parse);
  if (fetched.kind !== "ok") return fetched;
  // A cache or proxy on the way may answer with any JSON, `null` included.
  const schema = fetched.value?.schema;
  if (typeof schema !== "number") return { kind: "failed" };
  return schema > SCHEMA ? { kind: "newer" } : (fetched as Fetched<Value>);
}

function parseSnapshot(text: string): unknown {
  const value = JSON.parse(text) as object | null;
  if (value && "pages" in value) texts.set(value, text);
  return value;
}
