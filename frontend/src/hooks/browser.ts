/** Title, clock and downloads of the browser. */

import { useEffect, useState } from "preact/hooks";

const TICK_MILLISECONDS = 30_000;
const listeners = new Set<(now: number) => void>();
let timer = 0;

/** Set the page's title in tab and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Laurel" : `${title} · Laurel`;
  }, [title]);
}

/** Return the time, updated every half minute by one timer for the whole page. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    listeners.add(setNow);
    if (listeners.size === 1) timer = window.setInterval(tick, TICK_MILLISECONDS);
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

/** Download a file that the page made. */
export function saveFile(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
