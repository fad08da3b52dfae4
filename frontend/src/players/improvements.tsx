/** How a player has come to a score, as steps over time. */

import type { Metric, PlayerView } from "../api/generated/types.ts";
import { Chart } from "../charts/frame.tsx";
import { stepPath, widen, type Point } from "../charts/shapes.ts";
import { say } from "../languages/say.ts";
import { Section } from "../ui/facts.tsx";
import { formatScore, formatTime, formatWithUnit } from "../ui/lib/format.ts";

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
  const values = points.map(([, value]) => value);
  const last = points.at(-1);
  if (!first || !last || last[0] - first[0] < MIN_SPAN_MILLISECONDS) return null;
  return (
    <Section id="improvements" title={title}>
      <div class="charts">
        <Chart
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
          table={{
            columns: [say("When"), metric.label],
            rows: points.map(([at, score]) => [formatTime(at), formatScore(score, metric)]),
          }}
          height={260}
          x={widen([first[0], Math.max(last[0], Date.parse(until))], 0.03)}
          y={{ metric, extent: [Math.min(...values), Math.max(...values)] }}
          draw={({ right, x, y }) => (
            <>
              <path
                class="line"
                d={stepPath(
                  points.map(([at, score]): Point => [x(at), y(score)]),
                  right,
                )}
              />
              {points.map(([at, score], index) => (
                <circle key={index} class="dot" cx={x(at)} cy={y(score)} r="4">
                  <title>{`${formatTime(at)}: ${formatWithUnit(score, metric)}`}</title>
                </circle>
              ))}
            </>
          )}
        />
      </div>
    </Section>
  );
}
