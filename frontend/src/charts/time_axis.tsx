/** Time from left to right: the first and the last moment, and one between where there is room. */

import type { Interval } from "../lib/shapes.ts";
import type { Frame } from "./axes.tsx";

const DAY = 86_400_000;

interface Props {
  readonly frame: Frame;
  readonly domain: Interval;
  readonly scale: (value: number) => number;
}

export function TimeAxis({ frame, domain: [from, to], scale }: Props) {
  const format = new Intl.DateTimeFormat(
    "en-GB",
    to - from < 2 * DAY
      ? { hour: "2-digit", minute: "2-digit", ...(to - from < DAY / 24 ? { second: "2-digit" } : {}) }
      : { day: "numeric", month: "short", ...(to - from > 300 * DAY ? { year: "numeric" } : {}) },
  );
  const middle = (from + to) / 2;
  const ticks = frame.right - frame.left > 320 ? [from, middle, to] : [from, to];
  return (
    <g class="axis">
      <line class="base" x1={frame.left} x2={frame.right} y1={frame.bottom} y2={frame.bottom} />
      {ticks.map((tick) => (
        <text
          key={tick}
          x={scale(tick)}
          y={frame.bottom + 19}
          text-anchor={tick === from ? "start" : tick === to ? "end" : "middle"}
        >
          {format.format(tick)}
        </text>
      ))}
    </g>
  );
}
