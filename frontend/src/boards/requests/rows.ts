/** Rows that the API has of a board: a player's, and those around it. */

import { fetchJson, type Fetched } from "../../api/client.ts";
import type { AroundView, BoardCard, BoardList, Head, RowView } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { columnOf, DONE, indexOf, isWhole, rowAt, rowId, type Row } from "../rows/row.ts";
import { fetchFile } from "./other_boards.ts";

/** A player's first row on a board, between its neighbours. */
export interface Place {
  readonly head: Head;
  readonly row: Row;
  /** The index of the row, of all in rank order. */
  readonly index: number;
  /** The row with those around it, in order. */
  readonly around: readonly Row[];
}

const NEIGHBOURS = 2;

/** Return a player's place on a board; null if the head lacks it, or a neighbour. */
export function readPlace(head: Head, player: string): Place | null {
  const { rows } = head;
  const index = indexOf(rows, player);
  if (index < 0 || (!isWhole(head) && index + NEIGHBOURS >= rows.player.length)) return null;
  const first = Math.max(0, index - NEIGHBOURS);
  const around = rows.player.slice(first, index + NEIGHBOURS + 1).map((_, step) => rowAt(rows, first + step));
  return { head, row: around[index - first] ?? rowAt(rows, index), index, around };
}

/** Fetch a player's place on a board; null if there is none. The API is asked where the head does not have it all. */
export async function fetchPlace(head: Head, player: string, signal: AbortSignal): Promise<Place | null> {
  const here = readPlace(head, player);
  if (here || isWhole(head)) return here;
  const fetched = await fetchAround(head, player, NEIGHBOURS, signal);
  if (fetched.kind !== "ok" || fetched.value.number === null) return null;
  const around = fetched.value.rows.map(readRow);
  const row = around.find((each) => each.player === player);
  return row ? { head, row, index: fetched.value.number - 1, around } : null;
}

/** A place on one of a benchmark's boards, which has this id and title: a window those that stay. */
export type BoardPlace = Place & { readonly board: string; readonly title: string };

/** Fetch a player's places on the boards of a benchmark, in their order. */
export async function fetchPlaces(
  main: Head,
  { boards }: BoardList,
  player: string,
  signal: AbortSignal,
): Promise<Fetched<readonly BoardPlace[]>> {
  const find = async ({ id, title, window }: BoardCard): Promise<BoardPlace | null> => {
    // A window in which nobody has played has no file, so the API is asked whether the player has.
    const own = window ? await fetchAround({ id: main.id, board: id }, player, 0, signal) : null;
    if (own && (own.kind !== "ok" || own.value.rows.length === 0)) return null;
    const fetched = id === MAIN ? null : await fetchFile(main.id, window?.board ?? id, main.version, signal);
    if (fetched && fetched.kind !== "ok") return null;
    const place = await fetchPlace(fetched?.value ?? main, player, signal);
    return place && { ...place, board: id, title: title ?? (boards.length > 1 ? say("All") : main.title) };
  };
  const places = await Promise.all(boards.map(find));
  return { kind: "ok", value: places.filter((place) => place !== null) };
}

/** Fetch the first row of a player, with so many neighbours above and below. */
function fetchAround(
  { id, board }: Pick<Head, "id" | "board">,
  player: string,
  neighbours: number,
  signal: AbortSignal,
): Promise<Fetched<AroundView>> {
  const query = new URLSearchParams({ above: String(neighbours), below: String(neighbours), board });
  return fetchJson(`/api/benchmarks/${id}/players/${player}/around?${query}`, { signal });
}

/** Return a row of the API as the table has it. */
export function readRow(row: RowView): Row {
  const { player, label = null, name, kind, verified, rank, tied, submissions, submission, submitted_at } = row;
  return {
    id: rowId(player, label),
    ...{ player, label, name, kind, verified, rank, tied, submissions, submission },
    scores: joinParts(row),
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
