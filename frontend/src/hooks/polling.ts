/** Asks again and again while somebody looks; after failures ever more seldom. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { retryDelay } from "../lib/schedule.ts";
import type { Fetched } from "../api/client.ts";

const MISSING_SECONDS = 30;

/** What is known of a thing that is asked for again and again. */
export interface Polled<Value> {
  /** `stale`: there is a value, but the last try failed. */
  readonly phase: "loading" | "ok" | "stale" | "missing" | "newer" | "failed";
  readonly value: Value | null;
  /** Tries at once. */
  readonly retry: () => void;
}

/**
 * Asks for a value, and again while the page is seen.
 *
 * @param key What is asked for; another key starts over.
 * @param ask Does it.
 * @param seconds How long to wait after a value, or null to stop.
 */
export function usePolled<Value>(
  key: string,
  ask: (signal: AbortSignal) => Promise<Fetched<Value>>,
  seconds: (value: Value) => number | null,
): Polled<Value> {
  const [state, setState] = useState<{ key: string; phase: Polled<Value>["phase"]; value: Value | null }>({
    key,
    phase: "loading",
    value: null,
  });
  const latest = useRef({ ask, seconds });
  latest.current = { ask, seconds };
  const now = useRef<() => void>(() => undefined);

  // Asked before the first paint: the answer is on its way while the page is drawn.
  useLayoutEffect(() => {
    const ending = new AbortController();
    let failures = 0;
    let timer = 0;
    let asking = false;
    // When to ask next, by the clock; a hidden page catches up when it is seen again.
    let due = Infinity;

    const plan = (wait: number | null): void => {
      due = wait === null ? Infinity : Date.now() + wait * 1000;
      clearTimeout(timer);
      if (wait !== null && !document.hidden) timer = window.setTimeout(run, wait * 1000);
    };
    const run = async (): Promise<void> => {
      if (asking || ending.signal.aborted) return;
      asking = true;
      clearTimeout(timer);
      const fetched = await latest.current.ask(ending.signal).catch(() => null);
      asking = false;
      if (fetched === null || ending.signal.aborted) return;
      if (fetched.kind === "ok") {
        failures = 0;
        setState((old) =>
          old.phase === "ok" && old.key === key && isSame(old.value, fetched.value)
            ? old
            : { key, phase: "ok", value: fetched.value },
        );
        plan(latest.current.seconds(fetched.value));
        return;
      }
      failures++;
      setState((old) => ({ key, ...fail(old.key === key ? old.value : null, fetched.kind) }));
      plan(waitAfter(fetched.kind, failures));
    };
    const wake = (): void => {
      clearTimeout(timer);
      if (!document.hidden && due < Infinity) timer = window.setTimeout(run, Math.max(0, due - Date.now()));
    };
    now.current = () => void run();
    document.addEventListener("visibilitychange", wake);
    addEventListener("online", now.current);
    const atOnline = now.current;
    void run();
    return () => {
      ending.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wake);
      removeEventListener("online", atOnline);
    };
  }, [key]);

  const fresh = state.key === key ? state : { phase: "loading" as const, value: null };
  return { phase: fresh.phase, value: fresh.value, retry: () => now.current() };
}

function fail<Value>(
  value: Value | null,
  kind: Exclude<Fetched<Value>["kind"], "ok">,
): { phase: Polled<Value>["phase"]; value: Value | null } {
  if (kind === "newer") return { phase: "newer", value: null };
  // A board that was there does not vanish because one answer said so: it is kept, as stale.
  if (value !== null) return { phase: "stale", value };
  return { phase: kind === "missing" ? "missing" : "failed", value: null };
}

/** Gives when to ask again after no value, in seconds; what is too new for this page stays so. */
function waitAfter(kind: Exclude<Fetched<unknown>["kind"], "ok">, failures: number): number | null {
  if (kind === "newer") return null;
  return kind === "failed" ? retryDelay(failures, Math.random()) : MISSING_SECONDS;
}

/** Tells whether two snapshots are of the same publishing; what has no sequence is always new. */
function isSame(before: unknown, after: unknown): boolean {
  const sequence = (value: unknown): unknown => (value as { readonly sequence?: unknown } | null)?.sequence;
  const revision = (value: unknown): unknown => (value as { readonly revision?: unknown } | null)?.revision;
  return sequence(before) !== undefined && sequence(before) === sequence(after) && revision(before) === revision(after);
}
