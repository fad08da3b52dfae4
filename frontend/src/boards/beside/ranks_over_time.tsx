/** How the first ten of a main board got there: their improvements, which are fetched once, replayed. */

import { useEffect, useState } from "preact/hooks";

import type { Metric } from "../../api/generated/types.ts";
import { fetchPlayer } from "../../api/views.ts";
import { RanksChart } from "../../charts/ranks.tsx";
import { replayOrders, type Point, type Standing } from "../../charts/shapes.ts";
import { playerOf } from "../../ui/hooks/storage.ts";
import type { ShownBoard } from "../requests/boards.ts";
import { rowAt, type Row } from "../rows/row.ts";

const FIRST = 10;
/** When players got better, and to what, by benchmark and id. */
const courses = new Map<string, Promise<readonly Point[]>>();

export function RanksOverTime({ head, rows, metric }: Pick<ShownBoard, "head" | "rows"> & { readonly metric: Metric }) {
  const [drawn, setDrawn] = useState<{ players: readonly Row[]; standings: readonly Standing[] | null } | null>(null);
  useEffect(() => {
    let isOver = false;
    const players = rows.player.slice(0, FIRST).map((_, index) => rowAt(rows, index));
    // What came since is in the rows.
    const grown = players.map(async ({ player, at, scores }): Promise<readonly Point[]> => {
      const known = await findCourse(head.id, player);
      const value = scores[metric.id];
      return value == null || at <= (known.at(-1)?.[0] ?? Infinity) ? known : [...known, [at, value]];
    });
    void Promise.all(grown).then((found) => {
      if (!isOver) setDrawn({ players, standings: replayOrders(found, metric.direction) });
    });
    return () => void (isOver = true);
  }, [rows]);
  if (drawn === null) return <div class="chart bump" />;
  const { players, standings } = drawn;
  if (standings === null) return null;
  return <RanksChart players={players} standings={standings} me={playerOf(head.id).find()} />;
}

/** Return the course of a player, which is asked for once; an empty one where there is no answer. */
function findCourse(benchmark: string, player: string): Promise<readonly Point[]> {
  const key = `${benchmark} ${player}`;
  const course =
    courses.get(key) ??
    fetchPlayer(benchmark, player, new AbortController().signal).then((fetched) =>
      (fetched.kind === "ok" ? fetched.value.improvements : []).map(({ submitted_at, value }): Point => [
        Date.parse(submitted_at),
        value,
      ]),
    );
  courses.set(key, course);
  return course;
}
