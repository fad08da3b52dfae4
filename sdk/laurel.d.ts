/** What a page or game gets from `laurel.js`; docs/games.md explains it. */

export interface LaurelOptions {
  /** The id of the benchmark that scores the game. */
  readonly benchmark: string;
  /** The name that the board shows; by default the last one of this browser. Without any the results are nameless. */
  readonly player?: string | null;
  /** What plays; by default a human. */
  readonly kind?: "human" | "model";
}

export interface SubmitOptions {
  /** The level, question or track, if the benchmark has parts. */
  readonly part?: string | undefined;
  /** The name of the submission, if each label has a row. */
  readonly label?: string | undefined;
  /** The run ticket that `ticket()` returned before the run. */
  readonly ticket?: RunTicket | string | undefined;
  /** How many seconds to wait for the scores, 0 to 10; by default 5. */
  readonly wait?: number | undefined;
}

/** A result that is kept in this browser: it is sent when that is possible, or under a name that the site takes. */
export interface Waiting {
  readonly status: "waiting";
  /** Why it could not be sent; the type `invalid-player`, `name-taken` or `invalid-label` asks for another name. */
  readonly error: LaurelError | null;
}

/** A result that the site has stored. */
export interface Answer {
  /** `done` has an outcome; `queued` will be scored soon. */
  readonly status: "done" | "queued";
  readonly submission: string;
  /** The secret that opens the submission's messages: keep it in memory. */
  readonly receipt: string;
  /** The player's id. */
  readonly player?: string;
  readonly outcome?: "scored" | "invalid" | "evaluator_error" | "internal_error" | null;
  readonly scores?: Readonly<Record<string, number>> | null;
  /** Why the result is invalid. */
  readonly message?: string | null;
  readonly rank?: number | null;
  readonly would_rank?: number | null;
  readonly players?: number | null;
  /** The rank on the board of the part, if the part has one that shows the result already. */
  readonly part_rank?: BoardRank | null;
  readonly personal_best?: { readonly is_new: boolean; readonly [member: string]: unknown } | null;
  readonly quota_left?: number | null;
  /** When the quota of the day is whole again, as ISO 8601. */
  readonly resets_at?: string | null;
  readonly [member: string]: unknown;
}

/** A rank on another board than the main one. */
export interface BoardRank {
  readonly board: string;
  readonly rank: number;
  /** How many rows that board has. */
  readonly players: number;
}

export interface Row {
  readonly rank: number;
  readonly tied: boolean;
  readonly player: string;
  readonly name: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly [member: string]: unknown;
}

export interface Rows {
  readonly board: string;
  readonly total: number;
  readonly rows: readonly Row[];
  /** The `from` of the rows that follow; null at the end. */
  readonly next: number | null;
  readonly [member: string]: unknown;
}

export interface Around {
  readonly board: string;
  readonly total: number;
  readonly rows: readonly Row[];
  readonly player: string;
  readonly rank: number;
  readonly [member: string]: unknown;
}

export interface RunTicket {
  readonly ticket: string;
  readonly seed: string | null;
  readonly issued_at: string;
  readonly expires_at: string;
}

export declare class LaurelError extends Error {
  constructor(status: number, problem?: { type?: string; detail?: string; errors?: readonly Fault[] }, retryAfter?: number | null);
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** The name of the problem, such as `quota-exceeded`; `network` without an answer, `http` of an answer without one. */
  readonly type: string;
  readonly errors: readonly Fault[];
  /** Seconds to wait, if the site says so. */
  readonly retryAfter: number | null;
  /** Whether the same request may succeed later. */
  readonly isTemporary: boolean;
}

export interface Fault {
  readonly detail: string;
  readonly pointer?: string;
  readonly parameter?: string;
}

/**
 * The events `sent` (detail: Answer), for each result that was sent, `refused` (detail: LaurelError), for each that is
 * kept because the site rejected its name or label, and `rejected` (detail: LaurelError), for a result of the outbox that
 * was rejected and dropped.
 */
export declare class Laurel extends EventTarget {
  static readonly version: string;
  constructor(site: string | URL, options: LaurelOptions);
  get player(): string | null;
  /** Throws a LaurelError `invalid-player`, whose message is for the player, if the site takes no such name. */
  set player(name: string | null);
  /** The secret that makes the player's name this browser's own; show it once, and let players enter an old one. */
  playerKey: string;
  /** The player's id on the board; null before the first scored result. */
  readonly id: string | null;
  /** How many results wait to be sent. */
  readonly waiting: number;
  /** Send a result. Rejects with a LaurelError if the site rejected it: it is then not kept. */
  submit(result: object, options?: SubmitOptions): Promise<Answer | Waiting>;
  /**
   * Send what waits, under today's `player` where the site rejected a name, and with `label` where it rejected one (null:
   * with none). It happens by itself at the start, when the browser is online again, and later and later after failures.
   */
  flush(options?: { label?: string | null }): Promise<null>;
  board(options?: { board?: string; limit?: number; from?: number; players?: readonly string[] }): Promise<Rows>;
  around(options?: { board?: string; above?: number; below?: number; label?: string; player?: string }): Promise<Around | null>;
  ticket(options?: { part?: string }): Promise<RunTicket>;
}
