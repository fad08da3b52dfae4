/** How the first ten of a main board got there: their improvements, which are fetched once, replayed. */

import { useEffect, useState } from "preact/hooks";

import type { Metric } from "../../api/generated/types.ts";
import { fetchPlayer } from "../../api/views.ts";
import { Chart } from "../../charts/frame.tsx";
import { levelPath, replayOrders, scaleLinear, type Point, type Standing } from "../../charts/shapes.ts";
import { say } from "../../languages/say.ts";
import { Face } from "../../ui/icons.tsx";
import { formatTime } from "../../ui/lib/format.ts";
import { makeSign } from "../../ui/lib/sign.ts";
import { playerOf } from "../../ui/hooks/storage.ts";
import type { ShownBoard } from "../requests/boards.ts";
import type { Row } from "../rows/row.ts";

const ROW = 34;
const COLUMN = 30;
const WIDE = 560;
/** When players got better, and to what, by benchmark and id. */
const courses = new Map<string, Promise<readonly Point[] | null>>();

type Props = Pick<ShownBoard, "head"> & Pick<ChartProps, "players"> & { readonly metric: Metric };

export function RanksOverTime({ head, players, metric }: Props) {
  const [drawn, setDrawn] = useState<{ players: readonly Row[]; standings: readonly Standing[] | null } | null>(null);
  useEffect(() => {
    let isOver = false;
    // What came since is in the rows: theirs is the last order.
    const grown = players.map(async ({ player, at, scores }): Promise<readonly Point[] | null> => {
      const course = await findCourse(head.id, player);
      const [last, value] = [course?.at(-1), scores[metric.id]];
      return !course || value == null || value === last?.[1]
        ? course
        : [...course, [Math.max(at, last?.[0] ?? 0), value]];
    });
    void Promise.all(grown).then((found) => {
      const isWhole = found.every((course) => course !== null);
      if (!isOver) setDrawn({ players, standings: isWhole ? replayOrders(found, metric.direction) : null });
    });
    return () => void (isOver = true);
  }, [players]);
  // Until the courses are there, the drawing is as high as with them.
  const none = players.map(({ at }) => ({ at, order: [] })).sort((a, b) => a.at - b.at);
  const { standings, ...shown } = drawn ?? { players, standings: none };
  return standings && <RanksChart {...shown} standings={standings} me={playerOf(head.id).find()} />;
}

/** Return the course of a player, which is asked for once; null where there is no answer. */
function findCourse(benchmark: string, player: string): Promise<readonly Point[] | null> {
  const key = `${benchmark} ${player}`;
  const course =
    courses.get(key) ??
    fetchPlayer(benchmark, player, new AbortController().signal).then((fetched) =>
      fetched.kind === "ok"
        ? fetched.value.improvements.map(({ submitted_at, value }): Point => [Date.parse(submitted_at), value])
        : null,
    );
  courses.set(key, course);
  return course;
}

interface ChartProps {
  /** The players in the order of today. */
  readonly players: readonly Row[];
  readonly standings: readonly Standing[];
  /** The visitor's player. */
  readonly me: string | null;
}

function RanksChart({ players, standings, me }: ChartProps) {
  const [from, to] = [standings[0]?.at ?? 0, standings.at(-1)?.at ?? 0];
  const placeAt = (time: number, index: number): number =>
    standings.findLast(({ at }) => at <= time)?.order.indexOf(index) ?? -1;
  return (
    <Chart
      title={say("Ranks over time")}
      summary={say("How the first {count} of today stood among each other.", { count: players.length })}
      table={{
        columns: [say("When"), say("Rank")],
        rows: standings.map(({ at, order }) => [
          formatTime(at),
          order.map((index, place) => `${place + 1} \u2068${players[index]?.name}\u2069`).join(", "),
        ]),
      }}
      height={players.length * ROW + 58}
      x={[from, to]}
      y={null}
      room={(width) => (width < WIDE ? 124 : 230)}
      draw={({ left, right, top, bottom }) => {
        const y = scaleLinear([0, players.length - 1], [top - 6, bottom - 20]);
        // As many letters of a name as there is room for.
        const letters = right < WIDE ? 10 : 24;
        const count = Math.max(2, Math.floor((right - left) / COLUMN));
        const columns = Array.from({ length: count }, (_, column) => column / (count - 1));
        return players.map(({ player, ...shown }, index) => {
          const isBold = index < 3 || player === me;
          const { hue } = makeSign(player);
          const points = columns.flatMap((share): Point[] => {
            const place = placeAt(from + share * (to - from), index);
            return place < 0 ? [] : [[left + share * (right - left), y(place)]];
          });
          return (
            <g key={player} class={isBold ? "course bold" : "course"}>
              <path
                d={levelPath(points)}
                style={{ stroke: `light-dark(oklch(0.53 0.135 ${hue}), oklch(0.77 0.125 ${hue}))` }}
              />
              <g transform={`translate(${right + 4} ${y(index) - 12})`}>
                <Face player={player} {...shown} size={24} />
                <text x="32" y="17">
                  {index + 1} {shown.name.slice(0, letters)}
                  {shown.name.length > letters && "…"}
                </text>
              </g>
            </g>
          );
        });
      }}
    />
  );
}
