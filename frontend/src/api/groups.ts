/** Makes groups, joins and leaves them, and fetches their rows of a board. */

import { MAIN } from "../lib/board/view.ts";
import { fetchJson, type Fetched } from "./client.ts";
import type { GroupCard, GroupRowsView, GroupRowView, MembershipView } from "./generated/types.ts";
import { post } from "./views.ts";

/** So many rows a request returns at most; a group has five times as many members at most. */
const PAGE_ROWS = 100;

export interface GroupRows extends Omit<GroupRowsView, "next" | "rows"> {
  readonly rows: readonly GroupRowView[];
}

/** Fetch all rows of a group on a board. */
export async function fetchGroupRows(
  benchmark: string,
  code: string,
  board: string,
  signal: AbortSignal,
): Promise<Fetched<GroupRows>> {
  const rows: GroupRowView[] = [];
  for (let from = 1; ;) {
    const query = new URLSearchParams({ from: String(from), limit: String(PAGE_ROWS) });
    if (board !== MAIN) query.set("board", board);
    const url = `/api/benchmarks/${benchmark}/groups/${encodeURIComponent(code)}?${query}`;
    const fetched = await fetchJson<GroupRowsView>(url, { signal });
    if (fetched.kind !== "ok") return fetched;
    rows.push(...fetched.value.rows);
    const { next } = fetched.value;
    if (next === null) return { kind: "ok", value: { ...fetched.value, rows } };
    from = next;
  }
}

export const makeGroup = (name: string, key: string) => post<GroupCard>("/api/groups", withKey(key), { name });

export const joinGroup = (code: string, player: string, kind: string, key: string) =>
  post<MembershipView>(
    `/api/groups/${encodeURIComponent(code)}/members?${new URLSearchParams({ player, kind })}`,
    withKey(key),
  );

export const leaveGroup = (code: string, player: string, key: string) =>
  post<MembershipView>(`/api/groups/${encodeURIComponent(code)}/members/${player}/leave`, withKey(key));

const withKey = (key: string) => ({ "Laurel-Player-Key": key });
