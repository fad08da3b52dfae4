/** What the API answers, as far as the pages use it. */

import type { PlayerKind, State } from "./generated/snapshots.ts";

export type Outcome = "scored" | "invalid" | "evaluator_error" | "internal_error";

/** `GET /api/benchmarks/{b}` */
export interface BenchmarkAnswer {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly state: State;
  readonly opens: string | null;
  readonly closes: string | null;
  readonly description: string;
  readonly scorer: string;
  readonly version: string;
  readonly parts: readonly string[];
  readonly submissions: {
    readonly anonymous: boolean;
    readonly bundle: boolean;
    readonly max_bytes: number;
    readonly per_day: number;
    readonly invalid_per_day: number;
    readonly drop_per_day: number;
  };
  readonly sample: string | null;
}

/** `POST /api/benchmarks/{b}/submissions` */
export interface AcceptedAnswer {
  readonly submission: string;
  readonly status_url: string;
  readonly receipt: string;
}

export type Scores = Readonly<Record<string, number>>;

/** That a submission is off every board, for good. */
export interface Withdrawal {
  readonly at: string;
  readonly reason: string;
  readonly by: "player" | "owner" | "admin" | "operator";
}

/** `GET /api/benchmarks/{b}/submissions/{id}` */
export interface SubmissionAnswer {
  readonly submission: string;
  readonly benchmark: string;
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly submitted_at: string;
  readonly status: "queued" | "done";
  readonly outcome: Outcome | null;
  readonly scores: Scores | null;
  /** Null for a stranger. */
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly parts: readonly { readonly part: string; readonly scores: Scores }[] | null;
  /** Where the detail is too long for an answer. */
  readonly detail_url: string | null;
  readonly version: string | null;
  readonly signature: string | null;
  readonly rank: number | null;
  readonly players: number | null;
  readonly message: string | null;
  readonly pointer: string | null;
  readonly output: { readonly stdout: string; readonly stderr: string; readonly ended: string } | null;
  readonly withdrawn: Withdrawal | null;
}

export interface HistoryEntry {
  readonly submission: string;
  readonly submitted_at: string;
  readonly outcome: Outcome;
  readonly scores: Scores | null;
  readonly part?: string | null;
  readonly withdrawn?: Withdrawal | null;
}

/** `GET /api/benchmarks/{b}/players/{p}` */
export interface PlayerAnswer {
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly rank: number | null;
  readonly players: number | null;
  readonly submissions: number;
  readonly scores: Scores;
  readonly best: Scores;
  readonly history: readonly HistoryEntry[];
  readonly next: string | null;
}

/** A refusal (RFC 9457). */
export interface ProblemAnswer {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer?: string; readonly parameter?: string; readonly detail: string }[];
}

/** `POST /api/benchmarks/{b}/uploads`: where a file may be sent, as one form: the fields, then the file. */
export interface TicketAnswer {
  readonly upload: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly expires_at: string;
}

export type EntryStatus = Outcome | "refused" | "queued";

export interface UploadedEntry {
  readonly entry: string;
  readonly submission: string | null;
  readonly status: EntryStatus;
}

/** An entry that has no score, and why. */
export interface FailedEntry extends UploadedEntry {
  readonly message: string;
  readonly pointer: string | null;
}

/** `GET /api/benchmarks/{b}/uploads/{id}` */
export interface UploadAnswer {
  readonly upload: string;
  readonly status: "waiting" | "processing" | "scoring" | "done";
  readonly state: "received" | "quarantined" | "internal_error" | null;
  readonly entries: number;
  readonly refused: number;
  readonly queued: number;
  readonly scored: number;
  readonly invalid: number;
  readonly evaluator_error: number;
  readonly internal_error: number;
  readonly failures: readonly FailedEntry[];
  readonly page: readonly UploadedEntry[];
  readonly next: string | null;
}
