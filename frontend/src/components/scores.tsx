/** The scores of a player or submission. */

import type { ScoreMetric } from "../lib/batch.ts";
import { formatWithUnit, sayBetter } from "../lib/format.ts";

export type { ScoreMetric };

interface ScoresProps {
  readonly metrics: readonly ScoreMetric[];
  readonly scores: Readonly<Record<string, number | null>>;
}

export const ScoreList = ({ metrics, scores }: ScoresProps) => (
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
  </dl>
);
