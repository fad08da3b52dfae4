/** Submits one result. */

import { fetchJson } from "./client.ts";
import { authorize } from "./views.ts";
import type { Accepted, BenchmarkView } from "./generated/types.ts";

export interface SubmissionRequest {
  readonly benchmark: string;
  readonly body: string | Blob;
  /** The media type of the body. */
  readonly type: string;
  readonly player: string;
  /** Makes the name the visitor's own. Not sent with a token, nor without a name. */
  readonly playerKey: string;
  readonly kind: string;
  readonly part: string;
  readonly label: string;
  readonly token: string;
  /** Repeating a request with the same key gives the same submission. */
  readonly key: string;
}

/** Submit a result. */
export function postResult({
  benchmark,
  body,
  type,
  player,
  playerKey,
  kind,
  part,
  label,
  token,
  key,
}: SubmissionRequest) {
  const query = new URLSearchParams({
    // The token says who played: name and kind are rejected beside it.
    ...(token !== "" ? {} : { kind, ...(player === "" ? {} : { player }) }),
    ...(part === "" ? {} : { part }),
    ...(label === "" ? {} : { label }),
  });
  return fetchJson<Accepted>(`/api/benchmarks/${benchmark}/submissions?${query}`, {
    method: "POST",
    body,
    headers: {
      "Content-Type": type,
      "Idempotency-Key": key,
      ...(token === "" && player !== "" && playerKey !== "" ? { "Laurel-Player-Key": playerKey } : {}),
      ...authorize(token === "" ? null : token),
    },
  });
}

/** Fetch a benchmark with what is left to the visitor, who has a token or a name with a player key. */
export const fetchLeft = (benchmark: string, token: string, player: string, playerKey: string, signal: AbortSignal) =>
  fetchJson<BenchmarkView>(`/api/benchmarks/${benchmark}${token === "" ? `?${new URLSearchParams({ player })}` : ""}`, {
    signal,
    headers: token === "" ? { "Laurel-Player-Key": playerKey } : authorize(token),
  });
