/** Times, and the state of a benchmark. */

import type { State } from "../api/generated/types.ts";
import { useMoments, useNow } from "./hooks/browser.ts";
import { formatAgo } from "./lib/format.ts";

interface TimeProps {
  readonly at: number | string;
  /** Whether units are abbreviated: `14 min ago`. */
  readonly short?: boolean;
}

/** A relative time that updates itself, with the exact time for machines and as a tooltip. */
export function TimeAgo({ at, short }: TimeProps) {
  const time = typeof at === "number" ? at : Date.parse(at);
  const iso = new Date(time).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 16).replace("T", " ")} UTC`}>
      {formatAgo(time, Math.max(useNow(), time), short)}
    </time>
  );
}

/** Return whether a benchmark accepts results, from the moment on at which it opens and closes. */
export function useBenchmarkState(opens: string | null, closes: string | null): State {
  const now = useMoments(opens, closes);
  if (opens !== null && now < Date.parse(opens)) return "not_open_yet";
  return closes !== null && now >= Date.parse(closes) ? "closed" : "open";
}
