/** What the visitor has entered into the form of a benchmark: in the memory of the open page, and never the token. */

import { useState } from "preact/hooks";

import type { PlayerKind } from "../../api/generated/types.ts";
import { keptName } from "../hooks/storage.ts";

export interface Draft {
  readonly body: string;
  /** The name of the file that the result was read from; empty if it was typed. */
  readonly file: string;
  /** A file that is sent as it is, in place of `body`. */
  readonly upload: File | null;
  readonly player: string;
  readonly kind: PlayerKind;
  readonly part: string;
  readonly label: string;
}

const drafts = new Map<string, Draft>();

/** Return what was entered before, with the part that was asked for, else the visitor's name and the first part; and what changes it. */
export function useDraft(
  benchmark: string,
  asked: string | null,
  first: string,
): readonly [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState<Draft>(() => {
    const empty = {
      body: "",
      file: "",
      upload: null,
      player: keptName.find() ?? "",
      kind: "human" as const,
      part: first,
      label: "",
    };
    const before = drafts.get(benchmark) ?? empty;
    return asked === null ? before : { ...before, part: asked };
  });
  const change = (members: Partial<Draft>): void =>
    setDraft((before) => {
      const next = { ...before, ...members };
      drafts.set(benchmark, next);
      return next;
    });
  return [draft, change];
}

/** Forget a result that is on the board, so that the form is ready for another one. */
export function forgetResult(benchmark: string): void {
  const draft = drafts.get(benchmark);
  if (draft) drafts.set(benchmark, { ...draft, body: "", file: "", upload: null });
}
