/** Asks the API only when a head has moved, which is cheaper to look at. */

import { useEffect, useRef } from "preact/hooks";

/**
 * Ask again when something has moved: at once, but no more often than every so many seconds.
 *
 * @param moment What moves; null asks for nothing, and neither does the first: the page has just asked.
 */
export function useFollow(moment: string | null, ask: () => void, seconds: number): void {
  const last = useRef({ moment, at: -Infinity });
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (moment === null || last.current.moment === moment) return undefined;
    if (last.current.moment === null) {
      last.current = { moment, at: performance.now() };
      return undefined;
    }
    const wait = last.current.at + seconds * 1000 - performance.now();
    const timer = setTimeout(() => {
      last.current = { moment, at: performance.now() };
      latest.current();
    }, wait);
    return () => clearTimeout(timer);
  }, [moment, seconds]);
}
