/** Single values: times, states, tags. */

import type { State } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { useMoments, useNow } from "./hooks/browser.ts";
import { formatAgo, formatTime } from "./lib/format.ts";

interface TimeProps {
  readonly at: number | string;
}

/** A relative time that updates itself. */
export const RelativeTime = ({ at }: TimeProps) => <TimeAgo at={at} now={useNow()} />;

interface AgoProps extends TimeProps {
  readonly now: number;
  /** Whether units are abbreviated: `14 min ago`. */
  readonly short?: boolean;
}

/** A relative time, with the exact time for machines and as a tooltip. */
export function TimeAgo({ at, now, short }: AgoProps) {
  const time = typeof at === "number" ? at : Date.parse(at);
  const iso = new Date(time).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 16).replace("T", " ")} UTC`}>
      {formatAgo(time, Math.max(now, time), short)}
    </time>
  );
}

interface StateProps {
  readonly opens: string | null;
  readonly closes: string | null;
  /** The state according to the server. Without it, the times decide. */
  readonly state?: State;
}

/** Whether a benchmark accepts results, and until or from when. */
export function StatePill({ opens, closes, state }: StateProps) {
  const current = useBenchmarkState(opens, closes);
  const shown = state ?? current;
  const at = shown === "not_open_yet" ? opens : closes;
  const time = at === null ? "" : formatTime(Date.parse(at));
  const texts = {
    not_open_yet: time ? say("Opens {time}", { time }) : say("Opens later"),
    open: time ? say("Open until {time}", { time }) : say("Open"),
    closed: time ? say("Closed {time}", { time }) : say("Closed"),
  };
  return <span class={shown === "open" ? "pill good" : "pill"}>{texts[shown]}</span>;
}

/** Return whether a benchmark accepts results, from the moment on at which it opens and closes. */
export function useBenchmarkState(opens: string | null, closes: string | null): State {
  const now = useMoments(opens, closes);
  if (opens !== null && now < Date.parse(opens)) return "not_open_yet";
  return closes !== null && now >= Date.parse(closes) ? "closed" : "open";
}

export const TagPills = ({ tags }: { readonly tags: readonly string[] }) => (
  <>
    {tags.map((tag) => (
      <span key={tag} class="pill plain">
        {tag}
      </span>
    ))}
  </>
);
