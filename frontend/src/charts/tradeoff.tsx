/** The primary metric against one where lower is better, and the line of the players that nobody beats in both. */

import { formatCount, formatPlural, formatScore, formatWithUnit } from "../lib/format.ts";
import { writePlayer } from "../lib/players.ts";
import { extentOf, findFront, linePath, scaleLinear, widen, type Point } from "../lib/shapes.ts";
import type { Metric, Rows } from "../api/generated/snapshots.ts";
import { BottomAxis, labelOf, LeftAxis } from "./axes.tsx";
import { Chart } from "./frame.tsx";

const HEIGHT = 320;
// One path draws any number of dots; each is a line without length and round ends.
const dots = (points: readonly Point[]): string =>
  points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("");

interface Props {
  readonly rows: Rows;
  readonly total: number;
  readonly primary: Metric;
  readonly cost: Metric;
  readonly showAll: (() => void) | null;
}

export function Tradeoff({ rows, total, primary, cost, showAll }: Props) {
  const known = rows.player
    .map((_, index) => index)
    .filter((index) => rows.scores[primary.id]?.[index] != null && rows.scores[cost.id]?.[index] != null);
  const values = known.map((index): Point => [
    rows.scores[cost.id]?.[index] ?? 0,
    rows.scores[primary.id]?.[index] ?? 0,
  ]);
  if (values.length === 0) return null;
  const front = findFront(values, cost.direction, primary.direction);
  const nameOf = (index: number): string => {
    const row = known[index] ?? -1;
    return writePlayer(rows.name[row] ?? "", rows.verified[row] ?? false);
  };
  const among =
    rows.player.length < total
      ? `the first ${formatCount(rows.player.length)} of ${formatCount(total)} players`
      : formatPlural(values.length, "player");
  const best = front.slice(0, 3).map(nameOf);
  return (
    <Chart
      title={`${primary.label} against ${cost.label}`}
      summary={`Of ${among}, nobody beats ${front.length === 1 ? `${best[0]}` : `these ${formatCount(front.length)}, from ${best[0]} to ${nameOf(front.at(-1) ?? 0)},`} in both ${primary.label} and ${cost.label}.`}
      table={{
        columns: ["Player nobody beats in both", primary.label, cost.label],
        rows: front.map((index) => [
          nameOf(index),
          formatScore(values[index]?.[1], primary),
          formatScore(values[index]?.[0], cost),
        ]),
      }}
      height={HEIGHT}
      draw={(width) => {
        const frame = { left: 52, right: width - 16, top: 28, bottom: HEIGHT - 46 };
        const across = widen(extentOf(values.map(([x]) => x)));
        const up = widen(extentOf(values.map(([, y]) => y)));
        const x = scaleLinear(across, [frame.left, frame.right]);
        const y = scaleLinear(up, [frame.bottom, frame.top]);
        const place = ([a, b]: Point): Point => [x(a), y(b)];
        const line = front.map((index) => place(values[index] ?? [0, 0]));
        return (
          <>
            <LeftAxis frame={frame} domain={up} scale={y} style={primary} label={labelOf(primary)} />
            <path class="cloud" d={dots(values.map(place))} />
            <path class="line thin" d={linePath(line)} />
            {line.map(([left, top], at) => {
              const index = front[at] ?? 0;
              return (
                <circle key={index} class="dot" cx={left} cy={top} r="4.5">
                  <title>{`${nameOf(index)}: ${formatWithUnit(values[index]?.[1], primary)}, ${formatWithUnit(values[index]?.[0], cost)}`}</title>
                </circle>
              );
            })}
            <BottomAxis frame={frame} domain={across} scale={x} style={cost} label={labelOf(cost)} />
          </>
        );
      }}
    >
      {showAll && (
        <button type="button" class="button small" onClick={showAll}>
          Draw all {formatCount(total)} players
        </button>
      )}
    </Chart>
  );
}
