/** Requests of pages other than the board. */

import { fetchJson, fetchSnapshot, type Fetched } from "./client.ts";
import type {
  BanList,
  BenchmarkView,
  Index,
  InvitationList,
  InvitationMade,
  PlayerView,
  SubmissionView,
} from "./generated/types.ts";

export const INDEX = "/data/index.json";

export const fetchIndex = (signal: AbortSignal): Promise<Fetched<Index>> => fetchSnapshot(INDEX, signal);

export const fetchBenchmark = (benchmark: string, signal: AbortSignal) =>
  get<BenchmarkView>(`/api/benchmarks/${benchmark}`, null, signal);

export const fetchPlayer = (benchmark: string, player: string, signal: AbortSignal) =>
  get<PlayerView>(`/api/benchmarks/${benchmark}/players/${player}`, null, signal);

/** Fetch the players and names that are banned. */
export const fetchBans = (benchmark: string, signal: AbortSignal) =>
  get<BanList>(`/api/benchmarks/${benchmark}/bans`, null, signal);

/** Fetch what came of a submission, by default under the version that is current. */
export const fetchSubmission = (
  benchmark: string,
  submission: string,
  version: string | null,
  credential: string | null,
  signal: AbortSignal,
) => {
  const url = submissionUrl(benchmark, submission);
  return get<SubmissionView>(version === null ? url : `${url}?version=${version}`, credential, signal);
};

/** Return the address of a submission in the API. */
export const submissionUrl = (benchmark: string, submission: string): string =>
  `/api/benchmarks/${benchmark}/submissions/${submission}`;

/** Make a link: to a benchmark as its owner, or, without a benchmark, for members of the token's player. */
export const makeInvitation = (token: string, benchmark: string | null, wish: object) =>
  post<InvitationMade>(benchmark === null ? "/api/invitations" : `/api/benchmarks/${benchmark}/invite`, token, wish);

export const fetchInvitations = (token: string, benchmark: string, signal: AbortSignal) =>
  get<InvitationList>(`/api/benchmarks/${benchmark}/invitations`, token, signal);

/** Fetch JSON, with a credential if there is one. */
export const get = <Value>(
  url: string,
  credential: string | null = null,
  signal: AbortSignal | null = null,
): Promise<Fetched<Value>> => fetchJson(url, { signal, headers: authorize(credential) });

/** Send a POST, with a credential if there is one; a body is sent as JSON. */
export const post = <Value>(
  url: string,
  credential: string | null,
  body?: object,
  { headers, ...options }: RequestInit = {},
): Promise<Fetched<Value>> =>
  fetchJson(url, {
    method: "POST",
    headers: { ...(body ? { "Content-Type": "application/json" } : {}), ...authorize(credential), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...options,
  });

/** Return the header that carries a token, a receipt or a player key. */
export const authorize = (credential: string | null): Record<string, string> => {
  if (credential === null) return {};
  return credential.startsWith("player_")
    ? { "Laurel-Player-Key": credential }
    : { Authorization: `Bearer ${credential}` };
};
