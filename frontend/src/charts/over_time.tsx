/** Scores over time, each better than those before, as steps. */

import type { Metric } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { formatScore, formatTime, formatWithUnit } from "../ui/lib/format.ts";
import { axisOf, Chart } from "./frame.tsx";
import { extentOf, stepPath, widen, type Interval, type Point } from "./shapes.ts";

interface Props {
  readonly title: string;
  readonly summary: string;
  readonly metric: Metric;
  readonly times: Interval;
  /** Times and scores that got better, oldest first. */
  readonly points: readonly Point[];
}

export const TimeChart = ({ title, summary, metric, times, points }: Props) => (
  <Chart
    title={title}
    summary={summary}
    table={{
      columns: [say("When"), metric.label],
      rows: points.map(([at, score]) => [formatTime(at), formatScore(score, metric)]),
    }}
    height={260}
    x={times}
    y={axisOf(metric, widen(extentOf(points.map(([, score]) => score)), 0.1))}
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
);
