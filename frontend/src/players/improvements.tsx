/** How a player has come to a score, as steps over time. */

import type { Metric, PlayerView } from "../api/generated/types.ts";
import { TimeChart } from "../charts/over_time.tsx";
import { widen, type Point } from "../charts/shapes.ts";
import { say } from "../languages/say.ts";
import { Section } from "../ui/facts.tsx";
import { formatTime, formatWithUnit } from "../ui/lib/format.ts";

const MIN_SPAN_MILLISECONDS = 60_000;

interface Props {
  readonly title: string;
  readonly view: PlayerView;
  readonly metric: Metric;
  /** When the board was made that shows the last of them. */
  readonly until: string;
}

/** How the player got here. What arrived at once, as a batch does, has no course. */
export function Improvements({ title, view, metric, until }: Props) {
  const points = view.improvements.map(({ submitted_at, value }): Point => [Date.parse(submitted_at), value]);
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || last[0] - first[0] < MIN_SPAN_MILLISECONDS) return null;
  return (
    <Section id="improvements" title={title}>
      <div class="charts">
        <TimeChart
          title={metric.label}
          summary={say(
            "{count} improvement: from {from} to {to} at {time}.|{count} improvements: from {from} to {to} at {time}.",
            {
              count: points.length - 1,
              time: formatTime(last[0]),
              from: formatWithUnit(first[1], metric),
              to: formatWithUnit(last[1], metric),
            },
          )}
          metric={metric}
          times={widen([first[0], Math.max(last[0], Date.parse(until))], 0.03)}
          points={points}
        />
      </div>
    </Section>
  );
}
