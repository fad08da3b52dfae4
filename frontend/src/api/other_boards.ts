/** Heads of boards other than the main board. */

import { fetchHead, fetchSnapshot, folderOf, type Fetched } from "./client.ts";
import type { Head } from "./generated/types.ts";

const MOMENT_MILLISECONDS = 2_000;
const MAX_ATTEMPTS = 20;

/**
 * Fetch the head of a board, in the version of the benchmark that its main board shows. While a new version is being
 * published, another board keeps a copy of its head before; while it is read, the two may be of different moments.
 */
export async function fetchOther(benchmark: string, board: string, signal: AbortSignal): Promise<Fetched<Head>> {
  for (let attempt = 1; ; attempt++) {
    const [main, other] = await Promise.all([
      fetchHead(benchmark, signal),
      fetchSnapshot<Head>(`${folderOf(benchmark, board)}head.json`, signal),
    ]);
    if (main.kind !== "ok" || other.kind !== "ok") return main.kind === "ok" ? other : main;
    const { version } = main.value;
    if (other.value.version === version) return other;
    const { previous } = other.value;
    if (previous?.version === version && previous.head.startsWith("/data/")) return fetchSnapshot(previous.head, signal, "default");
    if (attempt === MAX_ATTEMPTS) return { kind: "failed" };
    await new Promise((resolve) => setTimeout(resolve, MOMENT_MILLISECONDS));
    signal.throwIfAborted();
  }
}
