/** What the API answers, as far as the pages use it. */

import type { PlayerKind, State } from "./snapshots.ts";

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
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly parts:
    | readonly { readonly part: string; readonly scores: Scores; readonly detail: Readonly<Record<string, unknown>> }[]
    | null;
  readonly version: string | null;
  readonly signature: string | null;
  readonly rank: number | null;
  readonly players: number | null;
  readonly message: string | null;
  readonly pointer: string | null;
  readonly output: { readonly stdout: string; readonly stderr: string; readonly ended: string } | null;
}

export interface HistoryEntry {
  readonly submission: string;
  readonly submitted_at: string;
  readonly outcome: Outcome;
  readonly scores: Scores | null;
  readonly part?: string | null;
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
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer?: string; readonly parameter?: string; readonly detail: string }[];
}
