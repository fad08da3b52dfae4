/** Title and clock of the browser. */

import { useEffect, useState } from "preact/hooks";

const TICK_MILLISECONDS = 30_000;
/** The longest time that browsers wait; with a longer one they do not wait at all. */
const MAX_WAIT_MILLISECONDS = 2 ** 31 - 1;

/** Set the page's title in tab and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Laurel" : `${title} · Laurel`;
  }, [title]);
}

/** Return the time, updated every half minute, or so often. */
export function useNow(milliseconds = TICK_MILLISECONDS): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), milliseconds);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Return the time, updated when one of these moments comes; null never comes. */
export function useMoments(...moments: readonly (string | null)[]): number {
  const [now, setNow] = useState(Date.now);
  const times = moments.map((moment) => (moment === null ? Infinity : Date.parse(moment)));
  const next = Math.min(...times.filter((time) => time > now), Infinity);
  useEffect(() => {
    if (next === Infinity) return undefined;
    const wait = setTimeout(() => setNow(Date.now()), Math.min(next - Date.now(), MAX_WAIT_MILLISECONDS));
    return () => clearTimeout(wait);
  }, [next, now]);
  return now;
}
