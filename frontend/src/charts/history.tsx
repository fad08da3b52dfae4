/** One player's scores over time, and the best so far. */

import { formatMoment, formatPlural, formatScore, formatWithUnit } from "../lib/format.ts";
import { extentOf, scaleLinear, stepPath, widen, type Point } from "../lib/shapes.ts";
import type { Metric } from "../api/generated/snapshots.ts";
import { labelOf, LeftAxis } from "./axes.tsx";
import { Chart } from "./frame.tsx";
import { TimeAxis } from "./time_axis.tsx";

const HEIGHT = 260;

interface Props {
  /** When and how much, oldest first. */
  readonly scores: readonly Point[];
  readonly metric: Metric;
}

export function ScoreHistory({ scores, metric }: Props) {
  const [first] = scores;
  const last = scores.at(-1);
  if (!first || !last) return null;
  const better = metric.direction === "higher" ? Math.max : Math.min;
  const records: Point[] = [];
  for (const [at, score] of scores) {
    const record = records.at(-1)?.[1];
    if (record === undefined || better(record, score) !== record) records.push([at, score]);
  }
  const best = records.at(-1)?.[1] ?? first[1];
  const times = widen([first[0], last[0]], 0.03);
  const range = widen(extentOf(scores.map(([, score]) => score)), 0.1);
  return (
    <Chart
      title={`${metric.label} over time`}
      summary={`${formatPlural(scores.length, "scored submission")}; the best single one has ${formatWithUnit(best, metric)}, the latest ${formatWithUnit(last[1], metric)}.`}
      table={{
        columns: ["When", metric.label],
        rows: scores.map(([at, score]) => [formatMoment(at), formatScore(score, metric)]),
      }}
      height={HEIGHT}
      draw={(width) => {
        const frame = { left: 52, right: width - 16, top: 28, bottom: HEIGHT - 30 };
        const x = scaleLinear(times, [frame.left, frame.right]);
        const y = scaleLinear(range, [frame.bottom, frame.top]);
        return (
          <>
            <LeftAxis frame={frame} domain={range} scale={y} style={metric} label={labelOf(metric)} />
            <path
              class="line"
              d={stepPath(
                records.map(([at, score]): Point => [x(at), y(score)]),
                frame.right,
              )}
            />
            {scores.map(([at, score], index) => (
              <circle key={index} class="dot" cx={x(at)} cy={y(score)} r="4">
                <title>{`${formatMoment(at)}: ${formatWithUnit(score, metric)}`}</title>
              </circle>
            ))}
            <TimeAxis frame={frame} domain={times} scale={x} />
          </>
        );
      }}
    />
  );
}
