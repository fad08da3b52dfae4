/** Fetches a player over all benchmarks; exports and erases one's own data. */

import type { Fetched } from "../api/client.ts";
import type { Erased, OwnData, OwnView, PlayerBoards, SubmissionList } from "../api/generated/types.ts";
import { get, post } from "../api/views.ts";

/** A player key with the name that is its own, or a token. */
export interface Credential {
  readonly secret: string;
  readonly name: string;
  readonly kind: string;
}

export const fetchPlayerBoards = (player: string, signal: AbortSignal) =>
  get<PlayerBoards>(`/api/players/${player}`, null, signal);

/** Fetch all that is kept of a player: every benchmark, and every page of each. */
export async function fetchOwnData(credential: Credential): Promise<Fetched<OwnData>> {
  const { secret } = credential;
  const benchmarks: Record<string, OwnView> = {};
  for (let after: string | null = null; ;) {
    const query = new URLSearchParams({ ...nameOwner(credential), ...(after === null ? {} : { after }) });
    const page: Fetched<OwnData> = await get(`/api/me/export?${query}`, secret);
    if (page.kind !== "ok") return page;
    for (const [benchmark, view] of Object.entries(page.value.benchmarks)) {
      const history = [...view.history];
      for (let cursor = view.next; cursor !== null;) {
        const url = `/api/benchmarks/${benchmark}/submissions?${new URLSearchParams({ player: page.value.player, cursor })}`;
        const more: Fetched<SubmissionList> = await get(url, secret);
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
export const eraseOwnData = (credential: Credential, player: string) =>
  post<Erased>(`/api/me/erasure?${new URLSearchParams(nameOwner(credential))}`, credential.secret, { confirm: player });

/** Return the parameters that say whose a player key is; a token says it itself. */
const nameOwner = ({ secret, name, kind }: Credential): Record<string, string> =>
  secret.startsWith("player_") ? { player: name, kind } : {};
