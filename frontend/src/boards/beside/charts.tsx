/** The charts of a board. */

import type { Head, Metric, Rows } from "../../api/generated/types.ts";
import { Distribution } from "../../charts/distribution.tsx";
import type { Baseline } from "../../charts/frame.tsx";
import { TimeChart } from "../../charts/over_time.tsx";
import type { Point } from "../../charts/shapes.ts";
import { say } from "../../languages/say.ts";
import { Section } from "../../ui/facts.tsx";
import { formatTime, formatWithUnit } from "../../ui/lib/format.ts";
import type { ShownBoard } from "../requests/boards.ts";
import { formatPlayer, labelPlayer, namePlayer } from "../rows/ranks.ts";
import { rowAt, type Row } from "../rows/row.ts";
import { Compare } from "./compare.tsx";
import { Tradeoff } from "./tradeoff.tsx";

const FIRST_PLAYERS = 3;
/** Of fewer players the table shows the distribution itself: each row has its place on a line. */
const MIN_DISTRIBUTED = 20;
/** Of fewer columns the table itself is the comparison, until somebody picks rows. */
const MIN_COMPARED = 3;
const MIN_RECORDS = 3;

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
  const baselines = listBaselines(head, primary);
  const first = rows.player.slice(0, FIRST_PLAYERS).map((_, index) => rowAt(rows, index));
  return (
    <Section id="charts" title={say("Charts")}>
      <div class="charts">
        {head.total > 1 && (picked.length > 0 || head.metrics.length >= MIN_COMPARED) && (
          <Compare
            players={picked.length > 0 ? picked : first}
            metrics={head.metrics}
            rows={rows}
            picked={picked.length > 0}
          />
        )}
        {histogram && histogram.max > histogram.min && head.total >= MIN_DISTRIBUTED && (
          <Distribution histogram={histogram} metric={primary} baselines={baselines} />
        )}
        <BestOverTime head={head} rows={rows} metric={primary} baselines={baselines} />
        {cost && (
          <Tradeoff {...{ rows, primary, cost, baselines }} total={head.total} showAll={complete ? null : showAll} />
        )}
      </div>
    </Section>
  );
}

interface BestProps {
  readonly head: Head;
  readonly rows: Rows;
  readonly metric: Metric;
  readonly baselines: readonly Baseline[];
}

/** Return the baselines that have a value. */
const listBaselines = ({ baselines }: Head, metric: Metric): readonly Baseline[] =>
  (baselines ?? []).flatMap(({ name, label, verified, scores }) => {
    const value = scores[metric.id];
    if (value == null) return [];
    const named = [formatPlayer(name, verified), ...(label ? [formatPlayer(label, true)] : [])].join(" · ");
    const text = `${named}: ${formatWithUnit(value, metric)}`;
    return [{ name: label ? labelPlayer(label, true) : labelPlayer(name, verified), value, text }];
  });

function BestOverTime({ head, rows, metric, baselines }: BestProps) {
  const points = head.improvements.steps.map(([at, score]): Point => [at, score]);
  const named = head.improvements.steps.map(([, , player]) => namePlayer(rows, player));
  const leader = named.at(-1);
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || !leader || points.length < MIN_RECORDS) return null;
  const [at, score] = last;
  // Of very many improvements, the head lists only some.
  return (
    <TimeChart
      title={say("Best over time")}
      summary={say(
        "{count} record; the best {metric} is {value}, set by {player} on {time}.|{count} records; the best {metric} is {value}, set by {player} on {time}.",
        {
          count: head.improvements.total,
          metric: metric.label,
          value: formatWithUnit(score, metric),
          player: formatPlayer(leader.name, leader.verified),
          time: formatTime(at),
        },
      )}
      metric={metric}
      times={[first[0], Math.max(at + 1, Math.min(Date.parse(head.generated_at), at + (at - first[0]) / 4))]}
      points={points}
      best={points}
      baselines={baselines}
      players={named.map(({ name, verified }) => labelPlayer(name, verified))}
    />
  );
}
