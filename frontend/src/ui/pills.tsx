/** The state of a benchmark and its tags, each in a pill. */

import type { State } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { formatTime } from "./lib/format.ts";
import { useBenchmarkState } from "./values.tsx";

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

export const TagPills = ({ tags }: { readonly tags: readonly string[] }) => (
  <>
    {tags.map((tag) => (
      <span key={tag} class="pill plain">
        {tag}
      </span>
    ))}
  </>
);
