/** Requests of pages other than the board. */

import { fetchJson, fetchSnapshot, type Fetched } from "./client.ts";
import type { BanList, BenchmarkView, Index, PlayerView, SubmissionView } from "./generated/types.ts";

export const INDEX = "/data/index.json";

export const fetchIndex = (signal: AbortSignal): Promise<Fetched<Index>> => fetchSnapshot(INDEX, signal);

export const fetchBenchmark = (benchmark: string, signal: AbortSignal): Promise<Fetched<BenchmarkView>> =>
  fetchJson(`/api/benchmarks/${benchmark}`, { signal });

export const fetchPlayer = (benchmark: string, player: string, signal: AbortSignal): Promise<Fetched<PlayerView>> =>
  fetchJson(`/api/benchmarks/${benchmark}/players/${player}`, { signal });

/** Fetch the players and names that are banned. */
export const fetchBans = (benchmark: string, signal: AbortSignal): Promise<Fetched<BanList>> =>
  fetchJson(`/api/benchmarks/${benchmark}/bans`, { signal });

export const fetchSubmission = (
  benchmark: string,
  submission: string,
  credential: string | null,
  signal: AbortSignal,
): Promise<Fetched<SubmissionView>> =>
  fetchJson(submissionUrl(benchmark, submission), { signal, headers: authorize(credential) });

/** Return the address of a submission in the API. */
export const submissionUrl = (benchmark: string, submission: string): string =>
  `/api/benchmarks/${benchmark}/submissions/${submission}`;

export const fetchApi = (signal: AbortSignal): Promise<Fetched<unknown>> => fetchJson("/api/openapi.json", { signal });

/** Send a POST; a body is sent as JSON. */
export const post = <Value>(
  url: string,
  headers: Record<string, string>,
  body?: object,
  signal?: AbortSignal,
): Promise<Fetched<Value>> =>
  fetchJson(url, {
    method: "POST",
    headers: body ? { "Content-Type": "application/json", ...headers } : headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  });

/** Return the header that carries a token, a receipt or a player key. */
export const authorize = (credential: string | null): Record<string, string> => {
  if (credential === null) return {};
  return credential.startsWith("player_")
    ? { "Laurel-Player-Key": credential }
    : { Authorization: `Bearer ${credential}` };
};
