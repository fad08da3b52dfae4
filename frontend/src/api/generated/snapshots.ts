// Generated from storage/boards/models.py by `make types`. Edit the models instead.

export const SCHEMA = 1;

/** What deltas are counted from: the rows as they stood at the end of an earlier day (UTC). */
export interface Baseline {
  readonly date: string;
  readonly rows_url: string;
}

/** How much a board rests on. */
export interface Counts {
  readonly players: number;
  readonly submissions: number;
}

/** Which end of a column leads. */
export type Direction = "higher" | "lower";

/** `head.json`: what the first sight of a board needs. */
export interface Head {
  readonly schema: number;
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly description: string;
  readonly version: string;
  readonly revision: number;
  readonly sequence: number;
  readonly generated_at: string;
  readonly opens: string | null;
  readonly closes: string | null;
  readonly total: number;
  readonly counts: Counts;
  readonly metrics: readonly Metric[];
  readonly rank_rule: string;
  readonly rows: Rows;
  readonly rows_url: string;
  readonly histogram: Readonly<Record<string, Histogram>>;
  readonly best_over_time: readonly Step[];
  readonly records: number | null;
  readonly baseline: Baseline | null;
  readonly removed: readonly WithdrawalNotices[];
  readonly replaced: readonly StaleRowsFile[];
}

/** How the values of a metric spread: `counts` over equal bins from `min` to `max`. */
export interface Histogram {
  readonly min: number;
  readonly max: number;
  readonly counts: readonly number[];
}

/** `index.json`: every board, in order of id. */
export interface Index {
  readonly schema: number;
  readonly benchmarks: readonly IndexEntry[];
}

/** One card of the front page. */
export interface IndexEntry {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly state: State;
  readonly opens: string | null;
  readonly closes: string | null;
  readonly players: number;
  readonly submissions: number;
  readonly primary: Metric;
  readonly best: number | null;
  readonly leader: readonly string[];
  readonly leader_verified: readonly boolean[];
  readonly updated_at: string;
  readonly sequence: number;
}

/** A column as the board shows it. */
export interface Metric {
  readonly id: string;
  readonly label: string;
  readonly unit: string | null;
  readonly direction: Direction;
  readonly decimals: number | null;
  readonly help: string | null;
  readonly primary: boolean;
}

/** Who plays. */
export type PlayerKind = "human" | "model";

/** Players in rank order, one array a column; every array has the same length. */
export interface Rows {
  readonly player: readonly string[];
  readonly name: readonly string[];
  readonly kind: readonly PlayerKind[];
  readonly verified: readonly boolean[];
  readonly rank: readonly number[];
  readonly tied: readonly boolean[];
  readonly delta: readonly (number | null)[];
  readonly scores: Readonly<Record<string, readonly (number | null)[]>>;
  readonly submissions: readonly number[];
  readonly at: readonly number[];
  readonly submission: readonly string[];
}

/** `rows.{sequence}-{hash}.json`: all rows; never changed once written. */
export interface RowsFile {
  readonly schema: number;
  readonly rows: Rows;
}

/** A rows file that no head names any more; the publisher deletes it after a while. */
export interface StaleRowsFile {
  readonly key: string;
  readonly at: string;
}

export type State = "not_open_yet" | "open" | "closed";

export type Step = readonly [number, number, string, string];

/** A submission that was withdrawn: whose it was, when it was taken off the board, and why. */
export interface WithdrawalNotices {
  readonly player: string;
  readonly name: string;
  readonly at: string;
  readonly reason: string;
  readonly submission: string;
}
