/** The charts of a board. */

import type { Head, Metric } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";
import type { Baseline } from "../../charts/frame.tsx";
import { say } from "../../languages/say.ts";
import { Section } from "../../ui/facts.tsx";
import { lazy, NEVER } from "../../ui/lazy.tsx";
import { formatWithUnit } from "../../ui/lib/format.ts";
import type { ShownBoard } from "../requests/boards.ts";
import { formatPlayer, labelPlayer } from "../rows/ranks.ts";
import type { Row } from "../rows/row.ts";
import { Compare } from "./compare.tsx";
import { Tradeoff } from "./tradeoff.tsx";

/** It asks for ten players, so it is loaded by who comes to it. */
const RanksOverTime = lazy(() => import("./ranks_over_time.tsx").then((module) => module.RanksOverTime), "bump", NEVER);

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
  const baselines = listBaselines(head, primary);
  return (
    <Section id="charts" title={say("Charts")}>
      <div class="charts">
        {head.board === MAIN && head.ranking.rows === "player" && head.total > 1 && (
          <RanksOverTime head={head} rows={rows} metric={primary} />
        )}
        {picked.length > 0 && <Compare players={picked} metrics={head.metrics} />}
        {cost && (
          <Tradeoff {...{ rows, primary, cost, baselines }} total={head.total} showAll={complete ? null : showAll} />
        )}
      </div>
    </Section>
  );
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
