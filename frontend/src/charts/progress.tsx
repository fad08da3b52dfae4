/** The best score over time, as steps: a record stands until it is beaten. */

import { formatMoment, formatPlural, formatScore, formatWithUnit } from "../lib/format.ts";
import { extentOf, scaleLinear, stepPath, widen, type Point } from "../lib/shapes.ts";
import type { Metric } from "../api/generated/snapshots.ts";
import { labelOf, LeftAxis } from "./axes.tsx";
import { Chart } from "./frame.tsx";
import { TimeAxis } from "./time_axis.tsx";

const HEIGHT = 260;

/** A record: when, how much, and who, as written in a sentence. */
export interface Best {
  readonly at: number;
  readonly score: number;
  readonly name: string;
}

interface Props {
  readonly bests: readonly Best[];
  /** How many there were; of very many some are left out. */
  readonly records: number;
  readonly metric: Metric;
  readonly until: number;
}

export function Progress({ bests, records, metric, until }: Props) {
  const last = bests.at(-1);
  const first = bests[0];
  if (!last || !first) return null;
  const times = [first.at, Math.max(until, last.at + 1)] as const;
  const scores = widen(extentOf(bests.map((one) => one.score)), 0.1);
  return (
    <Chart
      title="Best over time"
      summary={`${formatPlural(records, "record")}; the best ${metric.label} is ${formatWithUnit(last.score, metric)}, set by ${last.name} on ${formatMoment(last.at)}.`}
      table={{
        columns: ["When", metric.label, "Player"],
        rows: bests.map((one) => [formatMoment(one.at), formatScore(one.score, metric), one.name]),
      }}
      height={HEIGHT}
      draw={(width) => {
        const frame = { left: 52, right: width - 14, top: 28, bottom: HEIGHT - 30 };
        const x = scaleLinear(times, [frame.left, frame.right]);
        const y = scaleLinear(scores, [frame.bottom, frame.top]);
        const points = bests.map((one): Point => [x(one.at), y(one.score)]);
        return (
          <>
            <LeftAxis frame={frame} domain={scores} scale={y} style={metric} label={labelOf(metric)} />
            <path class="line" d={stepPath(points, frame.right)} />
            {points.map(([left, top], index) => (
              <circle key={index} class="dot" cx={left} cy={top} r="4">
                <title>{`${bests[index]?.name}: ${formatWithUnit(bests[index]?.score, metric)}`}</title>
              </circle>
            ))}
            <TimeAxis frame={frame} domain={times} scale={x} />
          </>
        );
      }}
    />
  );
}
