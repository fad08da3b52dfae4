/** Requests to the API and for the snapshots. Nothing here throws but an abort. */

import { SCHEMA, type BoardList, type Head, type Problem } from "./generated/types.ts";
import { MAIN } from "./view.ts";

export type Fetched<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "missing" }
  | { readonly kind: "newer" }
  | { readonly kind: "rejected"; readonly problem: Problem }
  | { readonly kind: "failed" };

declare global {
  /** In an export, what answers in place of the site. */
  var answerFromFiles: typeof fetch | undefined;
}

const TIMEOUT_MILLISECONDS = 20_000;
const NOT_MODIFIED = 304;

export const fetchHead = (benchmark: string, signal: AbortSignal): Promise<Fetched<Head>> =>
  fetchSnapshot<Head>(headPath(benchmark), signal);

/** Return the address of the head of a board as it is today. */
export const headPath = (benchmark: string, board = MAIN): string => `${folderOf(benchmark, board)}head.json`;

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
  parse: (text: string, response: Response) => unknown = (text) => JSON.parse(text) as unknown,
): Promise<Fetched<Value>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    const response = await (globalThis.answerFromFiles ?? fetch)(url, { credentials: "omit", ...options, signal });
    if (response.ok || response.status === NOT_MODIFIED) {
      return { kind: "ok", value: parse(await response.text(), response) as Value };
    }
    const isProblem = response.headers.get("Content-Type")?.startsWith("application/problem+json");
    if (response.status === 404) return { kind: "missing" };
    if (response.status < 500 && isProblem) return { kind: "rejected", problem: (await response.json()) as Problem };
    return { kind: "failed" };
  } catch {
    options.signal?.throwIfAborted();
    return { kind: "failed" };
  }
}

/** The file that the page was served with, or its content since: its address, ETag and value. */
const kept = readServed();

function readServed() {
  const element = globalThis.document?.getElementById("served");
  if (!element) return null;
  const { path, etag, boards = "[]" } = element.dataset;
  const listed = JSON.parse(boards) as BoardList["boards"];
  return { path, etag, boards: listed, value: JSON.parse(element.textContent) as unknown };
}

/** Return the boards that the page of a benchmark was served with; none if it was served without them. */
export const findServedBoards = (benchmark: string): BoardList["boards"] =>
  kept?.path === headPath(benchmark) ? kept.boards : [];

/** Return what the page was served with, or its content since; null if it was served without this file. */
export function findServed<Value>(path: string): Value | null {
  const value = kept?.path === path ? (kept.value as { readonly schema: number }) : null;
  return value && !(value.schema > SCHEMA) ? (value as Value) : null;
}

/**
 * Fetch a snapshot. By default it is revalidated by its ETag: an unchanged board costs a 304.
 *
 * The browser has not cached what came with the page, so its ETag is sent from here.
 */
export async function fetchSnapshot<Value extends { readonly schema: number }>(
  url: string,
  signal: AbortSignal,
  cache: RequestCache = "no-cache",
): Promise<Fetched<Value>> {
  const own = kept?.path === url && kept.etag ? kept : null;
  const fetched = await (own
    ? fetchJson<Partial<Value> | null>(
        url,
        { signal, headers: { "If-None-Match": `W/${own.etag?.replace("W/", "")}` } },
        (text, { status, headers }) => {
          if (status === NOT_MODIFIED) return own.value;
          const value = JSON.parse(text) as Value;
          return Object.assign(own, { value, etag: headers.get("ETag") ?? "" }).value;
        },
      )
    : fetchJson<Partial<Value> | null>(url, { signal, cache }));
  if (fetched.kind !== "ok") return fetched;
  // A cache or proxy on the way may answer with any JSON, `null` included.
  const schema = fetched.value?.schema;
  if (typeof schema !== "number") return { kind: "failed" };
  return schema > SCHEMA ? { kind: "newer" } : (fetched as Fetched<Value>);
}
