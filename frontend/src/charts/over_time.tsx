/** Scores over time, and the best score so far as steps. */

import type { Metric } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { formatScore, formatTime, formatWithUnit } from "../ui/lib/format.ts";
import { axisOf, Chart, type Baseline } from "./frame.tsx";
import { extentOf, placeLabels, stepPath, widen, type Interval, type Point } from "./shapes.ts";

interface Props {
  readonly title: string;
  readonly summary: string;
  readonly metric: Metric;
  readonly times: Interval;
  /** Times and scores, oldest first. */
  readonly points: readonly Point[];
  /** The points that improved the best score. */
  readonly best: readonly Point[];
  /** The player of each point, if they differ. */
  readonly players?: readonly string[];
  readonly baselines?: readonly Baseline[];
}

export const TimeChart = ({ title, summary, metric, times, points, best, players, baselines = [] }: Props) => (
  <Chart
    title={title}
    summary={summary}
    table={{
      columns: [say("When"), metric.label, ...(players ? [say("Player")] : [])],
      rows: points.map(([at, score], index) => [
        formatTime(at),
        formatScore(score, metric),
        ...(players?.slice(index, index + 1) ?? []),
      ]),
    }}
    height={260}
    x={times}
    y={axisOf(
      metric,
      widen(extentOf([...points.map(([, score]) => score), ...baselines.map(({ value }) => value)]), 0.1),
    )}
    baselines={baselines}
    draw={({ right, x, y }) => (
      <>
        <path
          class="line"
          d={stepPath(
            best.map(([at, score]): Point => [x(at), y(score)]),
            right,
          )}
        />
        {players &&
          placeLabels(
            points.map(([at, score]): Point => [x(at), y(score) - 9]).reverse(),
            [...players].reverse(),
            right,
          ).map(({ index, x: left, anchor }) => {
            const [, score] = points[points.length - 1 - index] ?? [0, 0];
            return (
              <text key={index} x={left - 6} y={y(score) - 7} text-anchor={anchor}>
                {players[points.length - 1 - index]}
              </text>
            );
          })}
        {points.map(([at, score], index) => (
          <circle key={index} class="dot" cx={x(at)} cy={y(score)} r="4">
            <title>{`${players?.[index] ?? formatTime(at)}: ${formatWithUnit(score, metric)}`}</title>
          </circle>
        ))}
      </>
    )}
  />
);
