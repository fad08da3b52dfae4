/** Requests that a button or form sends, and what was wrong with the last one. */

import { useState } from "preact/hooks";

import type { Fetched } from "../../api/client.ts";
import { say } from "../../languages/say.ts";
import { explainProblem } from "../lib/checks.ts";

/** Return what is wrong with an answer, in sentences. */
export function readErrors(fetched: Fetched<unknown>): readonly string[] {
  if (fetched.kind === "ok") return [];
  if (fetched.kind === "rejected") return explainProblem(fetched.problem);
  if (fetched.kind === "missing") return [say("It does not exist any more.")];
  return [say("The server did not answer. Try again in a moment.")];
}

/**
 * Return what waits for a request and returns its value, null if it failed; whether one is on its way; and the errors of
 * the last one, which a check before a request may set.
 */
export function useRequest() {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const send = async <Value>(request: Promise<Fetched<Value>>): Promise<Value | null> => {
    setBusy(true);
    const fetched = await request;
    setBusy(false);
    setErrors(readErrors(fetched));
    return fetched.kind === "ok" ? fetched.value : null;
  };
  return { errors, setErrors, busy, send };
}
