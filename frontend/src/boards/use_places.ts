/** A player's places on the boards of a benchmark. */

import { fetchBoards } from "../api/client.ts";
import type { Head } from "../api/generated/types.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { fetchPlaces } from "./requests/rows.ts";

/**
 * Fetch a player's places, once for each key. The list of boards is asked for together with the main one.
 *
 * @param key What the places depend on; null asks for none.
 */
export function usePlaces(benchmark: string, main: Head | null, player: string | undefined, key: string | null) {
  const boards = usePolled(`boards ${benchmark}`, (signal) => fetchBoards(benchmark, signal));
  const listed = boards.value;
  const places = usePolled(main && listed && key, (signal) =>
    main && listed && player !== undefined
      ? fetchPlaces(main, listed, player, signal)
      : Promise.resolve({ kind: "failed" }),
  );
  const retry = (): void => {
    boards.retry();
    places.retry();
  };
  const isLoading = boards.phase === "loading" || (main !== null && listed !== null && places.phase === "loading");
  return { value: places.value, isLoading, retry };
}
