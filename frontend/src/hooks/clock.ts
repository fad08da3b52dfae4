/** The time as the page tells it: one clock for all, so that a board of fifty rows has not fifty. */

import { useEffect, useState } from "preact/hooks";

const MILLISECONDS = 30_000;
const listeners = new Set<(now: number) => void>();
let timer = 0;

/** Gives the time, anew every half minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    listeners.add(setNow);
    if (listeners.size === 1) timer = window.setInterval(tick, MILLISECONDS);
    return () => {
      listeners.delete(setNow);
      if (listeners.size === 0) clearInterval(timer);
    };
  }, []);
  return now;
}

function tick(): void {
  const now = Date.now();
  for (const listener of listeners) listener(now);
}
