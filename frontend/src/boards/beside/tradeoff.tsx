/** The primary metric against one where lower is better, and the players whom nobody beats in both. */

import type { Metric, Rows } from "../../api/generated/types.ts";
import { axisOf, Chart, type Baseline } from "../../charts/frame.tsx";
import { extentOf, findFront, linePath, placeLabels, widen, type Point } from "../../charts/shapes.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { formatScore, formatWithUnit } from "../../ui/lib/format.ts";
import { formatPlayer, labelPlayer } from "../rows/ranks.ts";

// One path draws any number of dots: each is a line of length zero with round ends.
const dots = (points: readonly Point[]): string =>
  points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("");

const MIN_PLAYERS = 3;
/** So many names are tried besides those of the front. */
const MAX_NAMED = 40;

interface Props {
  readonly rows: Rows;
  readonly total: number;
  readonly primary: Metric;
  readonly cost: Metric;
  readonly showAll: (() => void) | null;
  readonly baselines: readonly Baseline[];
}

/** A player that has both values. */
interface Player {
  readonly name: string;
  /** The name as a label in the drawing, where the mark of a guest is one sign. */
  readonly label: string;
  readonly point: Point;
}

export function Tradeoff({ rows, total, primary, cost, showAll, baselines }: Props) {
  const players = rows.player.flatMap((_, index): readonly Player[] => {
    const x = rows.scores[cost.id]?.[index];
    const y = rows.scores[primary.id]?.[index];
    if (x == null || y == null) return [];
    const [name = "", verified = false] = [rows.name[index], rows.verified[index]];
    return [{ name: formatPlayer(name, verified), label: labelPlayer(name, verified), point: [x, y] }];
  });
  const points = players.map(({ point }) => point);
  const indices = findFront(points, cost.direction, primary.direction);
  const front = indices.map((index) => players[index]).filter((player) => player !== undefined);
  const [first] = front;
  // Of few points the table says as much.
  if (!first || players.length < MIN_PLAYERS) return null;
  const named = [...front, ...players.filter((_, index) => !indices.includes(index)).slice(0, MAX_NAMED)];
  const metrics = { metric: primary.label, other: cost.label };
  const finding =
    front.length === 1
      ? say("Nobody beats {name} in both {metric} and {other}.", { ...metrics, name: first.name })
      : say("Nobody beats these {count}, from {first} to {last}, in both {metric} and {other}.", {
          ...metrics,
          count: front.length,
          first: first.name,
          last: front.at(-1)?.name ?? "",
        });
  const drawn = { shown: rows.player.length, total };
  return (
    <Chart
      title={say("{metric} against {other}", metrics)}
      summary={
        drawn.shown < total ? `${finding} ${say("Drawn are the first {shown} of {total} players.", drawn)}` : finding
      }
      table={{
        columns: [say("Player nobody beats in both"), primary.label, cost.label],
        rows: front.map(({ name, point: [x, y] }) => [name, formatScore(y, primary), formatScore(x, cost)]),
      }}
      height={320}
      x={axisOf(cost, widen(extentOf(points.map(([x]) => x))))}
      y={axisOf(primary, widen(extentOf([...points.map(([, y]) => y), ...baselines.map(({ value }) => value)])))}
      baselines={baselines}
      draw={({ right, x, y }) => {
        const place = ([across, up]: Point): Point => [x(across), y(up)];
        return (
          <>
            <path class="cloud" d={dots(points.map(place))} />
            <path class="line thin" d={linePath(front.map(({ point }) => place(point)))} />
            {front.map(({ name, point }, index) => (
              <circle key={index} class="dot" cx={x(point[0])} cy={y(point[1])} r="4.5">
                <title>{`${name}: ${formatWithUnit(point[1], primary)}, ${formatWithUnit(point[0], cost)}`}</title>
              </circle>
            ))}
            {placeLabels(
              named.map(({ point }) => place(point)),
              named.map(({ label }) => label),
              right,
            ).map((label) => (
              <text
                key={label.index}
                x={label.x}
                y={y(named[label.index]?.point[1] ?? 0) + 4}
                text-anchor={label.anchor}
              >
                {named[label.index]?.label}
              </text>
            ))}
          </>
        );
      }}
    >
      {showAll && (
        <Button small onClick={showAll}>
          {say("Draw all {total} players", { total })}
        </Button>
      )}
    </Chart>
  );
}
