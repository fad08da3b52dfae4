/** Up to five players side by side: a line for each through all metrics, the best value at the top, and a table. */

import { useId } from "preact/hooks";

import type { Metric, Rows } from "../../api/generated/types.ts";
import { useWidth } from "../../charts/frame.tsx";
import { Mark, MARKS, pickColor } from "../../charts/picks.tsx";
import { atLeast, extentOf, linePath, scaleLinear, shareOf, type Point } from "../../charts/shapes.ts";
import { locale, say } from "../../languages/say.ts";
import { formatRank, formatWithUnit, MISSING } from "../../ui/lib/format.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { Table } from "../../ui/table_head.tsx";
import { formatPlayer } from "../rows/ranks.ts";
import type { Row } from "../rows/row.ts";

const HEIGHT = 280;
const MAX_AXES = 8;

interface Props {
  readonly players: readonly Row[];
  readonly metrics: readonly Metric[];
  /** All loaded rows, which define the best and the worst value. */
  readonly rows: Rows;
  /** Whether the visitor picked the players. */
  readonly picked: boolean;
}

export function Compare({ players, metrics, rows, picked }: Props) {
  const id = useId();
  const isPair = players.length === 2;
  const axes = metrics.filter((metric) => rows.scores[metric.id]?.some((value) => value !== null)).slice(0, MAX_AXES);
  return (
    <figure class="chart compare">
      <figcaption>
        <h3>{picked ? say("Picked players side by side") : say("The first players side by side")}</h3>
        <p id={id}>{describe(players, metrics, picked)}</p>
      </figcaption>
      {axes.length > 1 && <Lines axes={axes} players={players} rows={rows} describedBy={id} />}
      <Table
        label={say("Figures of the players side by side")}
        kind="data"
        columns={[
          { label: <span class="unseen">{say("Columns")}</span> },
          ...players.map((row, index) => ({
            label: (
              <>
                <Mark index={index} /> <ShortName name={row.name} verified={row.verified} />
              </>
            ),
          })),
          ...(isPair ? [say("Difference")] : []),
        ]}
        rows={[
          [say("Rank"), ...players.map((row) => formatRank(row.rank, row.tied)), ...(isPair ? [""] : [])],
          ...metrics.map((metric) => [
            metric.label,
            ...listValues(players, metric),
            ...(isPair ? [differ(players, metric)] : []),
          ]),
        ]}
      />
    </figure>
  );
}

interface LinesProps {
  readonly axes: readonly Metric[];
  readonly players: readonly Row[];
  readonly rows: Rows;
  readonly describedBy: string;
}

function Lines({ axes, players, rows, describedBy }: LinesProps) {
  const [element, width] = useWidth<HTMLDivElement>();
  const needed = Math.max(width, axes.length * 96);
  const extents = axes.map((metric) =>
    atLeast(extentOf((rows.scores[metric.id] ?? []).filter((value) => value !== null))),
  );
  const x = scaleLinear([0, axes.length - 1], [60, needed - 60]);
  const y = scaleLinear([0, 1], [HEIGHT - 34, 44]);
  const lines = players.map((row) =>
    axes.map((metric, axis): Point | null => {
      const value = row.scores[metric.id];
      return value == null ? null : [x(axis), y(shareOf(value, extents[axis] ?? [0, 1], metric.direction))];
    }),
  );
  return (
    <div
      class="scroller drawing"
      tabIndex={0}
      role="group"
      aria-label={say("Drawing of the players side by side")}
      ref={element}
      style={{ height: `${HEIGHT}px` }}
    >
      {width > 0 && (
        <svg
          width={needed}
          height={HEIGHT}
          role="img"
          aria-label={say("One line for each player through all columns")}
          aria-describedby={describedBy}
        >
          {axes.map((metric, axis) => {
            const [low, high] = extents[axis] ?? [0, 1];
            const [bottom, top] = metric.direction === "higher" ? [low, high] : [high, low];
            return (
              <g key={metric.id} class="axis" transform={`translate(${x(axis)} 0)`}>
                <line class="grid" y1={y(1)} y2={y(0)} />
                <text class="label" y="14" text-anchor="middle">
                  {metric.label.length > 15 ? `${metric.label.slice(0, 14)}…` : metric.label}
                  <title>{metric.label}</title>
                </text>
                <text y="33" text-anchor="middle">
                  {formatWithUnit(top, metric)}
                </text>
                <text y={HEIGHT - 14} text-anchor="middle">
                  {formatWithUnit(bottom, metric)}
                </text>
              </g>
            );
          })}
          {lines.map((line, index) => (
            <g key={players[index]?.id} class="pick" style={pickColor(index)}>
              {segmentsOf(line).map((segment, at) => (
                <path key={at} class="line" d={linePath(segment)} />
              ))}
              {line.map(
                (point, axis) =>
                  point && (
                    <path
                      key={axis}
                      class="mark"
                      transform={`translate(${point[0]} ${point[1]})`}
                      d={MARKS[index] ?? ""}
                    />
                  ),
              )}
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

/** Split a line where values are missing. */
function segmentsOf(line: readonly (Point | null)[]): readonly (readonly Point[])[] {
  const segments: Point[][] = [[]];
  for (const point of line) {
    if (point) segments.at(-1)?.push(point);
    else segments.push([]);
  }
  return segments.filter((segment) => segment.length > 1);
}

/** Return the value of each player, of several the best as strong. */
function listValues(players: readonly Row[], metric: Metric) {
  const values = players.map((row) => row.scores[metric.id] ?? null);
  const known = values.filter((value) => value !== null);
  const best = known.length < 2 ? null : metric.direction === "higher" ? Math.max(...known) : Math.min(...known);
  return values.map((value) => {
    const text = formatWithUnit(value, metric);
    return value !== null && value === best ? <strong>{text}</strong> : text;
  });
}

/** Return how much the second player has more than the first. */
function differ([first, second]: readonly Row[], metric: Metric): string {
  const [value, other] = [first?.scores[metric.id], second?.scores[metric.id]];
  if (value == null || other == null) return MISSING;
  return `${other > value ? "+" : ""}${formatWithUnit(other - value, metric)}`;
}

/** Return whether a player alone has the best value. */
const isAlone = (players: readonly Row[], row: Row, { id, direction }: Metric): boolean => {
  const value = row.scores[id];
  const others = players.filter((other) => other !== row).map((other) => other.scores[id]);
  if (value == null || others.every((other) => other == null)) return false;
  return others.every((other) => other == null || (direction === "higher" ? value > other : value < other));
};

function describe(players: readonly Row[], metrics: readonly Metric[], picked: boolean): string {
  const [first] = players;
  if (!first || players.length === 1) return say("Pick another player in the board to compare.");
  const wins = players.map((row) => metrics.filter((metric) => isAlone(players, row, metric)).length);
  const most = Math.max(...wins);
  const leaders = players.filter((_, index) => wins[index] === most).map((row) => formatPlayer(row.name, row.verified));
  const finding =
    most === 0
      ? say("No column has a best value of one of these players alone.")
      : say(
          "Alone with the best value in {most} of {count} column: {leaders}.|Alone with the best value in {most} of {count} columns: {leaders}.",
          { most, count: metrics.length, leaders: new Intl.ListFormat(locale).format(leaders) },
        );
  return picked ? finding : `${finding} ${say("Pick up to five players in the board to compare others.")}`;
}
