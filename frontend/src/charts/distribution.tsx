/** The distribution of the primary metric. */

import type { Histogram, Metric } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { formatCount, formatScore } from "../ui/lib/format.ts";
import { axisOf, Chart, type Baseline } from "./frame.tsx";
import { describeHistogram, listBins } from "./shapes.ts";

interface Props {
  readonly histogram: Histogram;
  readonly metric: Metric;
  readonly baselines: readonly Baseline[];
}

export function Distribution({ histogram, metric, baselines }: Props) {
  const { min, max, counts } = histogram;
  const bins = listBins(histogram);
  const isSingle = max === min;
  return (
    <Chart
      title={say("Distribution of {metric}", { metric: metric.label })}
      summary={describeHistogram(histogram, metric)}
      table={{
        columns: [say("From"), say("To"), say("Players")],
        rows: bins.map((bin) => [formatScore(bin.from, metric), formatScore(bin.to, metric), bin.count]),
      }}
      height={260}
      x={axisOf(metric, isSingle ? [min - 1, max + 1] : [min, max])}
      y={{ domain: [0, Math.max(...counts)], label: say("Players"), isWhole: true }}
      across="x"
      baselines={baselines}
      draw={({ bottom, x, y }) =>
        bins.map((bin, index) => {
          const left = isSingle ? x(bin.from) - 20 : x(bin.from) + 1;
          const right = isSingle ? x(bin.from) + 20 : x(bin.to) - 1;
          return (
            <rect
              key={index}
              class="bin"
              x={left}
              width={Math.max(1, right - left)}
              y={y(bin.count)}
              height={Math.max(0, bottom - y(bin.count))}
              rx="2"
            >
              <title>{`${formatScore(bin.from, metric)} – ${formatScore(bin.to, metric)}: ${formatCount(bin.count)}`}</title>
            </rect>
          );
        })
      }
    />
  );
}
