/** Heads of boards other than the main board: those of any time, and the instances of windows. */

import {
  fetchBoards,
  fetchHead,
  fetchJson,
  fetchSnapshot,
  folderOf,
  versions,
  type Fetched,
} from "../../api/client.ts";
import type { Head, RowsView } from "../../api/generated/types.ts";
import { describeInstance, windowOf } from "../rows/instances.ts";

/** After so long an instance without rows is looked up again: the API's answers are as old at most. */
const EMPTY_MILLISECONDS = 10_000;

interface Instance {
  /** What the instance shows while it has no file; null if it has one. */
  readonly empty: Head | null;
  readonly board: string;
  readonly until: number;
}

/** What ids of windows and of instances without a file stand for, by benchmark and id. */
const instances = new Map<string, Instance>();

/** Return whether a board still shows a version of the benchmark before the one that its main board shows. */
export const isOutdated = ({ id, version }: Head): boolean => (versions.get(id) ?? version) !== version;

/**
 * Fetch the head of a board; the id of a window is that of its present instance.
 *
 * The head is of the version of the benchmark that its main board shows. A closed instance keeps its version until its
 * turn comes.
 */
export async function fetchOther(
  benchmark: string,
  board: string,
  version: string,
  signal: AbortSignal,
): Promise<Fetched<Head>> {
  const key = `${benchmark} ${board}`;
  let stored = instances.get(key);
  // The id of a season does not say that it is one, so its file is asked for first, and only once while it is missing.
  if (!stored && !windowOf(board)) {
    const fetched = await fetchFile(benchmark, board, version, signal);
    if (fetched.kind !== "missing") return fetched;
  }
  if (!stored || Date.now() >= stored.until) {
    const fetched = await fetchInstance(benchmark, board, signal);
    if (fetched.kind !== "ok") return fetched;
    stored = fetched.value;
    instances.set(key, stored);
  }
  return stored.empty ? { kind: "ok", value: stored.empty } : fetchFile(benchmark, stored.board, version, signal);
}

/** Ask which instance an id stands for, and whether it has rows. */
async function fetchInstance(benchmark: string, board: string, signal: AbortSignal): Promise<Fetched<Instance>> {
  const query = new URLSearchParams({ board, limit: "1" });
  const fetched = await fetchJson<RowsView>(`/api/benchmarks/${benchmark}/rows?${query}`, { signal });
  if (fetched.kind !== "ok") return fetched;
  const { board: instance, window: span, sequence } = fetched.value;
  if (!span) return { kind: "ok", value: { empty: null, board, until: Infinity } };
  // The name of an instance stays; that of its window moves on.
  const ends = instance === board ? Infinity : Date.parse(span.to);
  if (sequence > 0) return { kind: "ok", value: { empty: null, board: instance, until: ends } };
  const name = windowOf(instance) ?? instance;
  const [main, listed] = await Promise.all([fetchHead(benchmark, signal), fetchBoards(benchmark, signal)]);
  if (main.kind !== "ok") return main;
  if (listed.kind !== "ok") return listed;
  const card = listed.value.boards.find(({ id }) => id === name);
  const window = { window: name, ...span };
  const empty = showNobody(main.value, instance, describeInstance(instance) ?? card?.title ?? instance, window);
  return { kind: "ok", value: { empty, board: instance, until: Math.min(ends, Date.now() + EMPTY_MILLISECONDS) } };
}

/** Return the head of an instance in which nobody has played, from that of the main board. */
const showNobody = (main: Head, board: string, title: string, window: NonNullable<Head["window"]>): Head => ({
  ...main,
  ...{ board, board_title: title, window, sequence: 0, total: 0, pages: null },
  ...{ improvements: { steps: [], total: 0 }, notices: [], corrected_at: null },
  counts: Object.fromEntries(Object.keys(main.counts).map((name) => [name, 0])) as unknown as Head["counts"],
  rows: {
    ...(Object.fromEntries(Object.keys(main.rows).map((name) => [name, []])) as unknown as Head["rows"]),
    scores: Object.fromEntries(Object.keys(main.rows.scores).map((name) => [name, []])),
  },
});

/** Fetch the file of a board that exists. */
export async function fetchFile(
  benchmark: string,
  board: string,
  version: string,
  signal: AbortSignal,
): Promise<Fetched<Head>> {
  const fetched = await fetchSnapshot<Head>(`${folderOf(benchmark, board, version)}head.json`, signal);
  if (fetched.kind !== "ok" || fetched.value.version === version) return fetched;
  // The address of a version that is gone leads to that of today, and of a closed instance to the one that it still has.
  const main = await fetchHead(benchmark, signal);
  if (main.kind === "ok") versions.set(benchmark, main.value.version);
  return fetched;
}
