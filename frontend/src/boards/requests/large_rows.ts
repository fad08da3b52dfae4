/** Rows that the API selects from a board that is too large to load. */

import { fetchJson, type Fetched } from "../../api/client.ts";
import type { Head, RowsView } from "../../api/generated/types.ts";
import { MAIN, type View } from "../../api/view.ts";
import { retryDelay } from "../../ui/hooks/polling.ts";
import { isPlain, type Row } from "../rows/row.ts";
import { readRow } from "./rows.ts";

/** Some rows of a selection, and how many it has. */
interface Block {
  readonly rows: readonly Row[];
  readonly count: number;
}

const BLOCK_ROWS = 100;
/** Rows that are only scrolled past are not requested. */
const PAUSE_MILLISECONDS = 120;

/** The rows that the API selects for a view, a block at a time as the window needs them. */
export class RemoteRows {
  /** How many rows there are; null until the first answer. */
  count: number | null = null;
  phase: "ok" | "loading" | "stale";
  private readonly view: View;
  private readonly signal: AbortSignal;
  private readonly onChange: () => void;
  /** What `need` was asked for last; it is called before anything is fetched. */
  private range!: readonly [head: Head, start: number, end: number];
  /** Blocks by their number, and the state of the board that they were fetched for. */
  private readonly blocks = new Map<number, Block & { readonly state: string }>();
  private failures = 0;
  private timer = 0;

  /** @param onChange Called when there are other rows to draw. */
  constructor(view: View, signal: AbortSignal, onChange: () => void) {
    this.view = view;
    this.signal = signal;
    this.phase = isPlain(view) ? "ok" : "loading";
    this.onChange = onChange;
  }

  row(index: number): Row | null {
    return this.blocks.get(Math.floor(index / BLOCK_ROWS))?.rows[index % BLOCK_ROWS] ?? null;
  }

  /** Fetch the rows of a range that are not there yet, once the window rests. Until then, those of an older head stay. */
  need(head: Head, start: number, end: number): void {
    this.range = [head, start, end];
    clearTimeout(this.timer);
    if (this.missing().length === 0) return;
    const wait = this.failures === 0 ? PAUSE_MILLISECONDS : retryDelay(this.failures, Math.random()) * 1000;
    this.timer = window.setTimeout(() => this.missing().forEach((block) => void this.fetch(head, block)), wait);
  }

  private missing(): readonly number[] {
    const [head, start, end] = this.range;
    const first = Math.floor(start / BLOCK_ROWS);
    const last = Math.max(first, Math.floor((end - 1) / BLOCK_ROWS));
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const isInHead = (block: number): boolean =>
      isPlain(this.view) && (block + 1) * BLOCK_ROWS <= head.rows.player.length;
    return numbers.filter((block) => this.blocks.get(block)?.state !== stateOf(head) && !isInHead(block));
  }

  private async fetch(head: Head, block: number): Promise<void> {
    const fetched = await fetchRows(head, this.view, block * BLOCK_ROWS + 1, this.signal).catch(() => null);
    if (fetched === null || this.signal.aborted) return;
    if (fetched.kind === "ok") {
      this.blocks.set(block, { ...fetched.value, state: stateOf(head) });
      this.count = fetched.value.count;
      this.failures = 0;
      this.phase = "ok";
    } else {
      this.failures++;
      this.phase = "stale";
      this.need(...this.range);
    }
    this.onChange();
  }
}

const stateOf = ({ version, sequence }: Head): string => `${version} ${sequence}`;

/** Fetch rows that a view shows, from the one at a position, 1 for the first. */
async function fetchRows(head: Head, view: View, from: number, signal: AbortSignal): Promise<Fetched<Block>> {
  const query = new URLSearchParams({ from: String(from), limit: String(BLOCK_ROWS) });
  if (head.board !== MAIN) query.set("board", head.board);
  if (view.query.trim() !== "") query.set("q", view.query.trim());
  const fetched = await fetchJson<RowsView>(`/api/benchmarks/${head.id}/rows?${query}`, { signal });
  if (fetched.kind !== "ok") return fetched;
  const { rows, matches, total } = fetched.value;
  return { kind: "ok", value: { rows: rows.map(readRow), count: isPlain(view) ? total : matches } };
}
