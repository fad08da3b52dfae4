/** The charts of a board. */

import type { Head, Metric, Rows } from "../api/generated/types.ts";
import type { ShownBoard } from "../hooks/board.ts";
import { formatPlayer, formatPlural, formatTime, formatWithUnit, isGuest } from "../lib/format.ts";
import type { Point } from "../lib/shapes.ts";
import { findRow, rowAt, type Row } from "../lib/board/table.ts";
import { Compare } from "./compare.tsx";
import { Distribution } from "./distribution.tsx";
import { TimeChart } from "./over_time.tsx";
import { Tradeoff } from "./tradeoff.tsx";

const FIRST_PLAYERS = 3;
/** Of fewer players a distribution says less than the table. */
const MIN_DISTRIBUTED = 5;

interface Props {
  readonly shown: ShownBoard;
  readonly picked: readonly Row[];
  /** Loads all rows; null if there are too many. */
  readonly showAll: (() => void) | null;
}

export function Charts({ shown, picked, showAll }: Props) {
  const { head, rows, complete } = shown;
  const primary = head.metrics.find((metric) => metric.primary) ?? head.metrics[0];
  if (!primary) return null;
  const cost = head.metrics.find(
    (metric) => metric.direction === "lower" && metric !== primary && head.histogram[metric.id],
  );
  const histogram = head.histogram[primary.id];
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
        {histogram && histogram.max > histogram.min && head.total >= MIN_DISTRIBUTED && (
          <Distribution histogram={histogram} metric={primary} />
        )}
        <BestOverTime head={head} rows={rows} metric={primary} />
        {cost && (
          <Tradeoff rows={rows} total={head.total} primary={primary} cost={cost} showAll={complete ? null : showAll} />
        )}
      </div>
    </section>
  );
}

interface BestProps {
  readonly head: Head;
  readonly rows: Rows;
  readonly metric: Metric;
}

function BestOverTime({ head, rows, metric }: BestProps) {
  const points = head.best_over_time.map(([at, score]): Point => [at, score]);
  const players = head.best_over_time.map(([, , player]) =>
    formatPlayer(findRow(rows, player)?.name ?? player, !isGuest(player)),
  );
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return null;
  const [at, score] = last;
  // Of very many records, the head lists only some.
  const count = formatPlural(head.records, "record");
  return (
    <TimeChart
      title="Best over time"
      summary={`${count}; the best ${metric.label} is ${formatWithUnit(score, metric)}, set by ${players.at(-1)} on ${formatTime(at)}.`}
      metric={metric}
      times={[first[0], Math.max(at + 1, Math.min(Date.parse(head.generated_at), at + (at - first[0]) / 4))]}
      points={points}
      best={points}
      players={players}
    />
  );
}
