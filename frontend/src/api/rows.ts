/** Rows that the API has of a board: a player's, and those around it. */

import { loadRows, type ShownBoard } from "../hooks/board.ts";
import { isLarge } from "../large/limits.ts";
import { columnOf, DONE, indexOf, rowId, type Row } from "../lib/board/table.ts";
import { MAIN } from "../lib/board/view.ts";
import { fetchJson, type Fetched } from "./client.ts";
import type { AroundView, Head, RowView } from "./generated/types.ts";

/** Return the index and rank of a player's first row; null if the player is not on the board. */
export async function findPlace({ head, rows }: ShownBoard, player: string) {
  if (isLarge(head)) {
    const view = await fetchAround(head, player);
    if (view.kind !== "ok" || view.value.number === null) return null;
    return { index: view.value.number - 1, rank: view.value.rank ?? 0 };
  }
  const fetched = await loadRows(head);
  const all = fetched.kind === "ok" ? fetched.value : rows;
  const index = indexOf(all, player);
  return index < 0 ? null : { index, rank: all.rank[index] ?? 0 };
}

/** Fetch the row with an id, or the first row of a player, with so many neighbours above and below. */
export function fetchAround(
  head: Head,
  id: string,
  neighbours = "0",
  options: RequestInit = {},
): Promise<Fetched<AroundView>> {
  const [player = "", label] = id.split("/");
  const query = new URLSearchParams({ above: neighbours, below: neighbours });
  if (head.board !== MAIN) query.set("board", head.board);
  if (label !== undefined) query.set("label", decodeURIComponent(label));
  const url = `/api/benchmarks/${head.id}/players/${player}/around?${query}`;
  return fetchJson(url, options);
}

/** Return a row of the API as the table has it. */
export function readRow(row: RowView): Row {
  const { player, label = null, name, kind, verified, rank, tied, submissions, submission, submitted_at } = row;
  return {
    id: rowId(player, label),
    ...{ player, label, name, kind, verified, rank, tied, submissions, submission },
    scores: joinParts(row),
    delta: undefined,
    at: Date.parse(submitted_at),
  };
}

/** Return the scores of a row of the API with its columns of parts. */
function joinParts({ scores, done, parts }: Pick<RowView, "scores" | "done" | "parts">): Row["scores"] {
  const values = Object.entries(parts ?? {}).flatMap(([part, own]) =>
    Object.entries(own).map(([metric, value]) => [columnOf(part, metric), value] as const),
  );
  return { ...scores, ...(done == null ? {} : { [DONE]: done }), ...Object.fromEntries(values) };
}
