/** Requests to the API and for the snapshots. Nothing here throws but an abort. */

import {
  SCHEMA,
  type BenchmarkView,
  type Head,
  type Index,
  type PlayerView,
  type Problem,
  type RowsFile,
  type SubmissionView,
} from "./generated/types.ts";

export type Fetched<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "missing" }
  | { readonly kind: "newer" }
  | { readonly kind: "rejected"; readonly problem: Problem }
  | { readonly kind: "failed" };

const TIMEOUT_MILLISECONDS = 20_000;

export const fetchIndex = (signal: AbortSignal): Promise<Fetched<Index>> => fetchSnapshot("/data/index.json", signal);

export const fetchHead = (benchmark: string, signal: AbortSignal): Promise<Fetched<Head>> =>
  fetchSnapshot(`/data/b/${benchmark}/head.json`, signal);

/** Fetch all rows of a board. The rows file that a head names never changes, so the browser may cache it. */
export const fetchRows = (url: string, signal: AbortSignal): Promise<Fetched<RowsFile>> =>
  url.startsWith("/data/") ? fetchSnapshot(url, signal, "default") : Promise.resolve({ kind: "failed" });

export const fetchBenchmark = (benchmark: string, signal: AbortSignal): Promise<Fetched<BenchmarkView>> =>
  fetchJson(`/api/benchmarks/${benchmark}`, { signal });

export const fetchPlayer = (
  benchmark: string,
  player: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Fetched<PlayerView>> =>
  fetchJson(`/api/benchmarks/${benchmark}/players/${player}${cursorQuery(cursor)}`, { signal });

export const fetchSubmission = (
  benchmark: string,
  submission: string,
  receipt: string | null,
  signal: AbortSignal,
): Promise<Fetched<SubmissionView>> =>
  fetchJson(`/api/benchmarks/${benchmark}/submissions/${submission}`, { signal, headers: authorize(receipt) });

export const fetchApi = (signal: AbortSignal): Promise<Fetched<unknown>> => fetchJson("/api/openapi.json", { signal });

/** Fetch JSON, or return why there is none. */
export async function fetchJson<Value>(url: string, options: RequestInit): Promise<Fetched<Value>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    const response = await fetch(url, { credentials: "omit", ...options, signal });
    if (response.ok) return { kind: "ok", value: (await response.json()) as Value };
    const isProblem = response.headers.get("Content-Type")?.startsWith("application/problem+json");
    if (response.status === 404) return { kind: "missing" };
    if (response.status < 500 && isProblem) return { kind: "rejected", problem: (await response.json()) as Problem };
    return { kind: "failed" };
  } catch {
    options.signal?.throwIfAborted();
    return { kind: "failed" };
  }
}

/** Return the header that carries a token or a receipt. */
export const authorize = (credential: string | null): Record<string, string> =>
  credential === null ? {} : { Authorization: `Bearer ${credential}` };

export const cursorQuery = (cursor: string | null): string =>
  cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`;

// no-cache revalidates by ETag: an unchanged board costs a 304.
async function fetchSnapshot<Value extends { readonly schema: number }>(
  url: string,
  signal: AbortSignal,
  cache: RequestCache = "no-cache",
): Promise<Fetched<Value>> {
  const fetched = await fetchJson<Partial<Value> | null>(url, { signal, cache });
  if (fetched.kind !== "ok") return fetched;
  // A cache or proxy on the way may answer with any JSON, `null` included.
  const schema = fetched.value?.schema;
  if (typeof schema !== "number") return { kind: "failed" };
  return schema > SCHEMA ? { kind: "newer" } : (fetched as Fetched<Value>);
}
