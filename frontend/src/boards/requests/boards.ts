/** The head of any board: what only other boards than the main one need is loaded with the first of them. */

import { fetchHead, versions, type Fetched } from "../../api/client.ts";
import type { Head, Rows } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";

export interface ShownBoard {
  readonly head: Head;
  readonly rows: Rows;
  /** Whether `rows` are all rows of the board. */
  readonly complete: boolean;
}

/** Fetch the version that the main board shows, unless it is known. */
async function fetchVersion(benchmark: string, signal: AbortSignal): Promise<Fetched<string>> {
  const version = versions.get(benchmark);
  if (version !== undefined) return { kind: "ok", value: version };
  const main = await fetchHead(benchmark, signal);
  if (main.kind !== "ok") return main;
  versions.set(benchmark, main.value.version);
  return { kind: "ok", value: main.value.version };
}

/** Fetch the head of a board. What another board than the main one needs is fetched together with its version. */
export async function fetchBoard(benchmark: string, board: string, signal: AbortSignal): Promise<Fetched<Head>> {
  if (board === MAIN) return fetchHead(benchmark, signal);
  const [module, version] = await Promise.all([
    import("./other_boards.ts").catch(() => null),
    fetchVersion(benchmark, signal),
  ]);
  if (module === null) return { kind: "failed" };
  return version.kind === "ok" ? module.fetchOther(benchmark, board, version.value, signal) : version;
}

/** Load all rows of a head. Most visitors need only the first rows, which the head has. */
export const loadRows = (head: Head): Promise<Fetched<Rows>> =>
  import("./pages.ts").then(
    (module) => module.loadRows(head),
    () => ({ kind: "failed" }),
  );
