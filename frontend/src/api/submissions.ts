/** Hands in one result. */

import type { AcceptedAnswer } from "./answers.ts";
import { authorize, fetchJson, type Fetched } from "./client.ts";

/** Returns 128 random bits in hexadecimal digits, also where the page has no secure context. */
export const makeId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** A result on its way. */
export interface Handover {
  readonly benchmark: string;
  readonly body: string;
  readonly player: string;
  readonly kind: string;
  readonly part: string;
  readonly token: string;
  /** Makes a repeat of the same handover give the same submission. */
  readonly key: string;
}

/** Hands in a result. */
export function postResult(handover: Handover): Promise<Fetched<AcceptedAnswer>> {
  const { benchmark, player, kind, part, token } = handover;
  const named = token === "" && player !== "" ? { player } : {};
  const query = new URLSearchParams({ ...named, kind, ...(part === "" ? {} : { part }) });
  return fetchJson(`/api/benchmarks/${benchmark}/submissions?${query}`, {
    method: "POST",
    body: handover.body,
    headers: {
      "Content-Type": "application/json",
      "Idempotency-Key": handover.key,
      ...authorize(token === "" ? null : token),
    },
  });
}
