/** Who stood where over time: a line for each player, in the colour of its face. */

import { say } from "../languages/say.ts";
import type { Faced } from "../ui/face.tsx";
import { Face } from "../ui/icons.tsx";
import { formatTime } from "../ui/lib/format.ts";
import { makeSign } from "../ui/lib/sign.ts";
import { Chart } from "./frame.tsx";
import { levelPath, scaleLinear, type Point, type Standing } from "./shapes.ts";

const ROW = 34;
const COLUMN = 30;
const WIDE = 560;

interface Props {
  /** The players in the order of today. */
  readonly players: readonly (Faced & { readonly name: string })[];
  readonly standings: readonly Standing[];
  /** The visitor's player. */
  readonly me: string | null;
}

export function RanksChart({ players, standings, me }: Props) {
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
