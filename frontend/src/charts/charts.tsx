/** The charts of a board. */

import { isGuest, writePlayer } from "../lib/players.ts";
import { findRow, rowAt, type Row } from "../lib/table.ts";
import type { ShownBoard } from "../hooks/board.ts";
import type { Head, Rows } from "../api/generated/snapshots.ts";
import { Compare } from "./compare.tsx";
import { Distribution } from "./distribution.tsx";
import { Progress, type Best } from "./progress.tsx";
import { Tradeoff } from "./tradeoff.tsx";

const FIRST_PLAYERS = 3;

interface Props {
  readonly shown: ShownBoard;
  readonly picked: readonly Row[];
  readonly showAll: () => void;
}

export function Charts({ shown, picked, showAll }: Props) {
  const { head, rows, complete } = shown;
  const primary = head.metrics.find((metric) => metric.primary) ?? head.metrics[0];
  if (!primary) return null;
  const cost = head.metrics.find(
    (metric) => metric.direction === "lower" && metric !== primary && head.histogram[metric.id],
  );
  const histogram = head.histogram[primary.id];
  const bests = bestsOf(head, rows);
  const first = rows.player.slice(0, FIRST_PLAYERS).map((_, index) => rowAt(rows, index));
  return (
    <section aria-labelledby="charts-title">
      <h2 id="charts-title">Charts</h2>
      <div class="charts">
        {head.total > 1 && (
          <Compare
            players={picked.length > 0 ? picked : first}
            metrics={head.metrics}
            rows={rows}
            picked={picked.length > 0}
          />
        )}
        {histogram && <Distribution histogram={histogram} metric={primary} />}
        {bests.length > 0 && (
          <Progress
            bests={bests}
            records={head.records ?? bests.length}
            metric={primary}
            until={Date.parse(head.generated_at)}
          />
        )}
        {cost && (
          <Tradeoff rows={rows} total={head.total} primary={primary} cost={cost} showAll={complete ? null : showAll} />
        )}
      </div>
    </section>
  );
}

/** Gives the records of a board with the names of whose they are. */
const bestsOf = (head: Head, rows: Rows): readonly Best[] =>
  head.best_over_time.map(([at, score, player]) => ({
    at,
    score,
    name: writePlayer(findRow(rows, player)?.name ?? player, !isGuest(player)),
  }));
