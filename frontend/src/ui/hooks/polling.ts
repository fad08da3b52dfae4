/** Fetches a value repeatedly while the page is visible, with growing delays after failures and while nothing changes. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Fetched } from "../../api/client.ts";

const MISSING_SECONDS = 30;
const FIRST_RETRY_SECONDS = 2;
const LAST_RETRY_SECONDS = 120;
/** Who switches windows fast does not ask each time. */
const WAKE_MILLISECONDS = 1000;

export interface Polled<Value> {
  /** `stale`: there is a value, but the last request failed. */
  readonly phase: "loading" | "ok" | "stale" | "missing" | "newer" | "failed";
  readonly value: Value | null;
  /** Sends a request at once. */
  readonly retry: () => void;
}

type State<Value> = Omit<Polled<Value>, "retry">;
type FailureKind = Exclude<Fetched<unknown>["kind"], "ok">;

/**
 * Poll a value while the page is visible, at once when it comes back or gets the focus.
 *
 * @param key Identifies what is polled; another key starts over, null polls nothing.
 * @param poll Sends one request.
 * @param seconds Returns how long to wait after a value that so many answers in a row have shown already, or null to
 *   stop, as it does by default.
 * @param first Shown while the first request is on its way; null shows that the page loads.
 */
export function usePolled<Value>(
  key: string | null,
  poll: (signal: AbortSignal) => Promise<Fetched<Value>>,
  seconds: (value: Value, unchanged: number) => number | null = () => null,
  first: Value | null = null,
): Polled<Value> {
  const start: State<Value> = { phase: first === null ? "loading" : "ok", value: first };
  const [state, setState] = useState<State<Value> & { key: string | null }>({ key, ...start });
  const latest = useRef({ poll, seconds });
  latest.current = { poll, seconds };
  const retry = useRef<() => void>(() => undefined);

  // A layout effect runs before the first paint, so the request is sent while the page is drawn.
  useLayoutEffect(() => {
    if (key === null) return;
    // Ends the request that is on its way, and what listens.
    const controller = new AbortController();
    let failures = 0;
    // Answers are counted, for a clock that jumps would make a page hasty or still.
    let unchanged = 0;
    let shown = first === null ? "" : JSON.stringify(first);
    let timer = 0;
    let isRunning = false;
    let goesOn = true;
    let asked = 0;

    const plan = (wait: number | null): void => {
      clearTimeout(timer);
      // An export never changes.
      goesOn = wait !== null && !globalThis.answerFromFiles;
      if (goesOn && !document.hidden) timer = window.setTimeout(run, wait! * 1000);
    };
    const run = async (): Promise<void> => {
      if (isRunning || controller.signal.aborted) return;
      isRunning = true;
      clearTimeout(timer);
      asked = performance.now();
      const fetched = await latest.current.poll(controller.signal).catch(() => null);
      isRunning = false;
      if (fetched === null || controller.signal.aborted) return;
      if (fetched.kind === "ok") {
        failures = 0;
        const text = JSON.stringify(fetched.value);
        unchanged = text === shown ? unchanged + 1 : 0;
        shown = text;
        setState((old) =>
          unchanged > 0 && old.phase === "ok" && old.key === key ? old : { key, phase: "ok", value: fetched.value },
        );
        plan(latest.current.seconds(fetched.value, unchanged));
        return;
      }
      failures++;
      setState((old) => ({ key, ...stateAfter(fetched.kind, old.key === key ? old.value : null) }));
      plan(delayAfter(fetched.kind, failures));
    };
    const wake = (): void => {
      if (goesOn && !isRunning) plan(Math.max(0, asked + WAKE_MILLISECONDS - performance.now()) / 1000);
    };
    const runNow = (): void => void run();
    retry.current = runNow;
    document.addEventListener("visibilitychange", wake, controller);
    addEventListener("focus", wake, controller);
    addEventListener("online", runNow, controller);
    runNow();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [key]);

  const { phase, value }: State<Value> = state.key === key ? state : start;
  return { phase, value, retry: () => retry.current() };
}

function stateAfter<Value>(kind: FailureKind, value: Value | null): State<Value> {
  if (kind === "newer") return { phase: "newer", value: null };
  // One failed request does not remove a board that was shown: it stays, marked as stale.
  if (value !== null) return { phase: "stale", value };
  return { phase: kind === "missing" ? "missing" : "failed", value: null };
}

/** Return the delay after a failure in seconds; null after data of a newer schema, which this page can never read. */
function delayAfter(kind: FailureKind, failures: number): number | null {
  if (kind === "newer") return null;
  return kind === "failed" ? retryDelay(failures, Math.random()) : MISSING_SECONDS;
}

/** Return the delay after failures in a row, in seconds. It doubles, half of it at random, so that clients spread out. */
export function retryDelay(failures: number, random: number): number {
  const longest = Math.min(LAST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (failures - 1));
  return longest / 2 + (longest / 2) * random;
}
