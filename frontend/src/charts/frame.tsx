/** What every chart has: a title, a summary in words, the drawing with its axes, and the data as a table. */

import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Metric } from "../api/generated/types.ts";
import { locale, say } from "../languages/say.ts";
import { formatScore, sayBetter } from "../ui/lib/format.ts";
import { Table } from "../ui/table_head.tsx";
import { scaleLinear, widen, type Interval } from "./shapes.ts";

const DAY = 86_400_000;

type Scale = (value: number) => number;

/** A vertical axis: what it shows, and its lowest and highest value. */
export interface ValueAxis {
  readonly metric: Metric;
  readonly extent: Interval;
}

/** The drawing area in pixels, and the scales into it. */
interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: Scale;
  readonly y: Scale;
}

interface Props {
  readonly title: string;
  readonly summary: string;
  readonly table: { readonly columns: readonly string[]; readonly rows: readonly (readonly (string | number)[])[] };
  readonly height: number;
  /** From when to when. */
  readonly x: Interval;
  /** The vertical axis; null where places need none. */
  readonly y: ValueAxis | null;
  /** How much of the width is free at the end, in pixels. */
  readonly room?: (width: number) => number;
  readonly draw: (plot: Plot) => ComponentChildren;
}

export function Chart({ title, summary, table, height, x, y, draw, room }: Props) {
  const [element, width] = useWidth<HTMLDivElement>();
  const id = useId();
  const end = width - (room?.(width) ?? 16);
  // The drawing is made for the measured width, so that its text is never scaled.
  const area = { left: y ? 52 : 6, right: end, top: 28, bottom: height - 30 };
  const plot: Plot = {
    ...area,
    x: scaleLinear(x, [area.left, area.right]),
    y: scaleLinear(y ? widen(y.extent, 0.1) : [0, 1], [area.bottom, area.top]),
  };
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <p id={id}>{summary}</p>
      </figcaption>
      <div class="drawing" ref={element} style={{ height: `${height}px` }}>
        {width > 0 && (
          <svg
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="img"
            aria-label={title}
            aria-describedby={id}
          >
            {y && <LeftAxis plot={plot} axis={y} />}
            {draw(plot)}
            <TimeAxis plot={plot} domain={x} />
          </svg>
        )}
      </div>
      <details>
        <summary>{say("Data of “{title}”", { title })}</summary>
        <Table
          label={say("Data of “{title}”", { title })}
          kind="data"
          columns={table.columns}
          rows={table.rows.map((row) => row.map((cell) => (typeof cell === "string" ? <bdi>{cell}</bdi> : cell)))}
          name={-1}
        />
      </details>
    </figure>
  );
}

/** Return an element's width in pixels, as it changes; 0 before it is measured. */
function useWidth<Kind extends Element>(): readonly [RefObject<Kind | null>, number] {
  const element = useRef<Kind>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    setWidth(Math.floor(element.current.clientWidth));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

/** The vertical axis, with a line for the lowest and the highest value. */
const LeftAxis = ({ plot, axis: { metric, extent } }: { readonly plot: Plot; readonly axis: ValueAxis }) => (
  <g class="axis">
    {[...new Set(extent)].map((value) => (
      <g key={value} transform={`translate(0 ${plot.y(value)})`}>
        <line class="grid" x1={plot.left} x2={plot.right} />
        <text x={plot.left - 8} y="4" text-anchor="end">
          {formatTick(value, metric)}
        </text>
      </g>
    ))}
    <text class="label" x="0" y="12">
      {`${metric.label}${metric.unit ? ` (${metric.unit})` : ""}, ${sayBetter(metric)}`}
    </text>
  </g>
);

/** Return a value in as few letters as there is room for. */
const formatTick = (value: number, { unit }: Metric): string =>
  Math.abs(value) >= 1e5 ? value.toExponential(0) : formatScore(Number(value.toPrecision(4)), { decimals: null, unit });

/** A horizontal axis with the first and the last time, and one between if there is room. */
function TimeAxis({ plot, domain: [from, to] }: { readonly plot: Plot; readonly domain: Interval }) {
  const format = new Intl.DateTimeFormat(
    locale,
    to - from < 2 * DAY
      ? { hour: "2-digit", minute: "2-digit", ...(to - from < DAY / 24 ? { second: "2-digit" } : {}) }
      : { day: "numeric", month: "short", ...(to - from > 300 * DAY ? { year: "numeric" } : {}) },
  );
  const { left, right, bottom, x } = plot;
  const ticks = right - left > 320 ? [from, (from + to) / 2, to] : [from, to];
  return (
    <g class="axis">
      <line class="base" x1={left} x2={right} y1={bottom} y2={bottom} />
      {ticks.map((tick) => (
        <text
          key={tick}
          x={x(tick)}
          y={bottom + 19}
          text-anchor={tick === from ? "start" : tick === to ? "end" : "middle"}
        >
          {format.format(tick)}
        </text>
      ))}
    </g>
  );
}
