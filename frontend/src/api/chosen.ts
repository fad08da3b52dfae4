/** The rows of some players. */

import { MAIN } from "../lib/board/view.ts";
import { fetchJson } from "./client.ts";
import type { RowsView } from "./generated/types.ts";

/** Fetch the rows of players whose ids are separated by commas. */
export const fetchChosen = (benchmark: string, board: string, players: string, signal: AbortSignal) =>
  fetchJson<RowsView>(
    `/api/benchmarks/${benchmark}/rows?${new URLSearchParams({ players, ...(board === MAIN ? {} : { board }) })}`,
    { signal },
  );
