/** How the primary metric spreads over the players. */

import { formatCount, formatScore } from "../lib/format.ts";
import { describeHistogram, listBins, scaleLinear, type Interval } from "../lib/shapes.ts";
import type { Histogram, Metric } from "../api/generated/snapshots.ts";
import { BottomAxis, labelOf, LeftAxis } from "./axes.tsx";
import { Chart } from "./frame.tsx";

const HEIGHT = 260;
const WHOLE = { decimals: 0 };

interface Props {
  readonly histogram: Histogram;
  readonly metric: Metric;
}

export function Distribution({ histogram, metric }: Props) {
  const bins = listBins(histogram);
  const most = Math.max(...histogram.counts);
  return (
    <Chart
      title={`Distribution of ${metric.label}`}
      summary={describeHistogram(histogram, metric)}
      table={{
        columns: ["From", "To", "Players"],
        rows: bins.map((bin) => [formatScore(bin.from, metric), formatScore(bin.to, metric), bin.count]),
      }}
      height={HEIGHT}
      draw={(width) => {
        const frame = { left: 44, right: width - 14, top: 28, bottom: HEIGHT - 46 };
        const domain: Interval =
          histogram.max > histogram.min ? [histogram.min, histogram.max] : [histogram.min - 1, histogram.max + 1];
        const x = scaleLinear(domain, [frame.left, frame.right]);
        const y = scaleLinear([0, most], [frame.bottom, frame.top]);
        const single = histogram.max === histogram.min;
        return (
          <>
            <LeftAxis frame={frame} domain={[0, most]} scale={y} style={WHOLE} label="Players" />
            {bins.map((bin, index) => {
              const left = single ? x(bin.from) - 20 : x(bin.from) + 1;
              const right = single ? x(bin.from) + 20 : x(bin.to) - 1;
              return (
                <rect
                  key={index}
                  class="bin"
                  x={left}
                  width={Math.max(1, right - left)}
                  y={y(bin.count)}
                  height={Math.max(0, frame.bottom - y(bin.count))}
                  rx="2"
                >
                  <title>{`${formatScore(bin.from, metric)} to ${formatScore(bin.to, metric)}: ${formatCount(bin.count)}`}</title>
                </rect>
              );
            })}
            <BottomAxis frame={frame} domain={domain} scale={x} style={metric} label={labelOf(metric)} />
          </>
        );
      }}
    />
  );
}
