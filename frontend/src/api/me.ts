/** Fetches a player over all benchmarks; exports and erases one's own data. */

import { fetchJson, type Fetched } from "./client.ts";
import type { Erased, OwnData, OwnView, PlayerBoards, SubmissionList } from "./generated/types.ts";
import { authorize, post } from "./views.ts";

/** A player key with the name that is its own, or a token. */
export interface Credential {
  readonly secret: string;
  readonly name: string;
  readonly kind: string;
}

export const fetchPlayerBoards = (player: string, signal: AbortSignal): Promise<Fetched<PlayerBoards>> =>
  fetchJson(`/api/players/${player}`, { signal });

/** Fetch all that is kept of a player: every benchmark, and every page of each. */
export async function fetchOwnData(credential: Credential): Promise<Fetched<OwnData>> {
  const { headers, query } = readCredential(credential);
  const benchmarks: Record<string, OwnView> = {};
  for (let after: string | null = null; ;) {
    const page: Fetched<OwnData> = await fetchJson(`/api/me/export?${join(query, "after", after)}`, { headers });
    if (page.kind !== "ok") return page;
    for (const [benchmark, view] of Object.entries(page.value.benchmarks)) {
      const history = [...view.history];
      for (let cursor = view.next; cursor !== null;) {
        const url = `/api/benchmarks/${benchmark}/submissions?${new URLSearchParams({ player: page.value.player, cursor })}`;
        const more: Fetched<SubmissionList> = await fetchJson(url, { headers });
        if (more.kind !== "ok") return { kind: "failed" };
        history.push(...more.value.submissions);
        cursor = more.value.next;
      }
      benchmarks[benchmark] = { ...view, history, next: null };
    }
    after = page.value.next;
    if (after === null) return { kind: "ok", value: { ...page.value, benchmarks } };
  }
}

/** Erase a player, whose id confirms it. */
export function eraseOwnData(credential: Credential, player: string): Promise<Fetched<Erased>> {
  const { headers, query } = readCredential(credential);
  return post(`/api/me/erasure?${new URLSearchParams(query)}`, headers, { confirm: player });
}

interface Asked {
  readonly headers: Record<string, string>;
  readonly query: Record<string, string>;
}

function readCredential({ secret, name, kind }: Credential): Asked {
  return secret.startsWith("player_")
    ? { headers: { "Laurel-Player-Key": secret }, query: { player: name, kind } }
    : { headers: authorize(secret), query: {} };
}

const join = (query: Readonly<Record<string, string>>, name: string, value: string | null): string =>
  String(new URLSearchParams(value === null ? query : { ...query, [name]: value }));
