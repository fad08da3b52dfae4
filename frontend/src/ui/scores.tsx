/** The scores of a player or submission. */

import type { ComponentChildren } from "preact";

import type { BenchmarkView, Metric } from "../api/generated/types.ts";
import { formatWithUnit, sayBetter } from "./lib/format.ts";

/** What a score is shown with. */
export type ScoreMetric = Omit<Metric, "help">;

/** Return the metrics of a benchmark, as scores are shown with them. */
export const listMetrics = ({ headers, ranking }: Pick<BenchmarkView, "headers" | "ranking">): readonly ScoreMetric[] =>
  headers.map(({ name, label, unit, decimals, direction }) => ({
    id: name,
    label: label ?? name,
    unit: unit ?? null,
    decimals: decimals ?? null,
    direction,
    primary: name === ranking.by[0],
  }));

interface ScoresProps {
  readonly metrics: readonly ScoreMetric[];
  readonly scores: Readonly<Record<string, number | null>>;
  /** Facts beside them. */
  readonly children?: ComponentChildren;
}

export const ScoreList = ({ metrics, scores, children }: ScoresProps) => (
  <dl class="scores">
    {metrics.map((metric) => (
      <div key={metric.id} class={metric.primary ? "primary" : undefined}>
        <dt>
          {metric.label} <span aria-hidden="true">{metric.direction === "higher" ? "↑" : "↓"}</span>
          <span class="unseen">, {sayBetter(metric)}</span>
        </dt>
        <dd>{formatWithUnit(scores[metric.id], metric)}</dd>
      </div>
    ))}
    {children}
  </dl>
);
