/** Axes: ticks with words, lines across. */

import { formatScore } from "../lib/format.ts";
import { makeTicks, type Interval } from "../lib/shapes.ts";
import type { Metric } from "../api/generated/snapshots.ts";

/** The room around a drawing. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

type Style = Pick<Metric, "decimals">;
type Scale = (value: number) => number;

interface AxisProps {
  readonly frame: Frame;
  readonly domain: Interval;
  readonly scale: Scale;
  readonly style: Style;
  readonly label: string;
}

/** Values from left to right, below the drawing. */
export const BottomAxis = ({ frame, domain, scale, style, label }: AxisProps) => (
  <g class="axis">
    <line class="base" x1={frame.left} x2={frame.right} y1={frame.bottom} y2={frame.bottom} />
    {ticksOf(domain, (frame.right - frame.left) / 90, style).map((tick) => (
      <g key={tick} transform={`translate(${scale(tick)} ${frame.bottom})`}>
        <line y2="4" class="base" />
        <text y="19" text-anchor="middle">
          {formatTick(tick)}
        </text>
      </g>
    ))}
    <text class="label" x={frame.right} y={frame.bottom + 38} text-anchor="end">
      {label}
    </text>
  </g>
);

/** Values from bottom to top, with lines across the drawing. */
export const LeftAxis = ({ frame, domain, scale, style, label }: AxisProps) => (
  <g class="axis">
    {ticksOf(domain, (frame.bottom - frame.top) / 45, style).map((tick) => (
      <g key={tick} transform={`translate(0 ${scale(tick)})`}>
        <line class="grid" x1={frame.left} x2={frame.right} />
        <text x={frame.left - 8} y="4" text-anchor="end">
          {formatTick(tick)}
        </text>
      </g>
    ))}
    <text class="label" x="0" y="12">
      {label}
    </text>
  </g>
);

/** Gives the label of an axis: the column, its unit, and which end is better. */
export const labelOf = (metric: Metric): string =>
  `${metric.label}${metric.unit ? ` (${metric.unit})` : ""}, ${metric.direction} is better`;

const ticksOf = (domain: Interval, about: number, style: Style): readonly number[] =>
  makeTicks(domain, Math.max(2, about)).filter((tick) => style.decimals !== 0 || Number.isInteger(tick));

const formatTick = (tick: number): string =>
  Math.abs(tick) >= 1e5 ? tick.toExponential(0) : formatScore(tick, { decimals: null });
