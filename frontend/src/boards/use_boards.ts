/** The list of a benchmark's boards. */

import { fetchBoards, findServedBoards } from "../api/client.ts";
import type { BoardList } from "../api/generated/types.ts";
import { usePolled } from "../ui/hooks/polling.ts";

/** The boards of a benchmark, whether it is archived, how it closes, and how many bans it has. */
export type Listed = Pick<BoardList, "boards" | "archived" | "banned"> & Partial<Pick<BoardList, "late" | "moved">>;

/** Return what is listed of a benchmark, with the windows that have begun, once one of its boards is shown. */
export function useBoards(benchmark: string, isShown: boolean): Listed {
  const key = isShown ? benchmark : null;
  const { value } = usePolled(key, (signal) => fetchBoards(benchmark, signal));
  if (value === null) return { archived: null, banned: 0, boards: findServedBoards(benchmark) };
  return { ...value, boards: value.boards.filter(({ window }) => !window || Date.parse(window.from) <= Date.now()) };
}

/** Return how a benchmark's boards call its parts, once one is shown. */
export function usePartNames(benchmark: string, isShown = true): (part: string) => string {
  const { boards } = useBoards(benchmark, isShown);
  return (part) => boards.find(({ id }) => id === part)?.title ?? part;
}
