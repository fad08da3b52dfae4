/** Requests of pages other than the board. */

import { fetchJson, fetchSnapshot, type Fetched } from "./client.ts";
import type { BenchmarkView, Index, PlayerView, SubmissionView } from "./generated/types.ts";

export const fetchIndex = (signal: AbortSignal): Promise<Fetched<Index>> => fetchSnapshot("/data/index.json", signal);

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

/** Return the header that carries a token or a receipt. */
export const authorize = (credential: string | null): Record<string, string> =>
  credential === null ? {} : { Authorization: `Bearer ${credential}` };

export const cursorQuery = (cursor: string | null): string =>
  cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`;
