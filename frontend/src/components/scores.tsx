/** The scores of a player or submission. */

import type { Metric } from "../api/generated/types.ts";
import type { ScoreMetric } from "../lib/batch.ts";
import { say } from "../languages/say.ts";
import { formatScore, formatWithUnit, sayBetter } from "../lib/format.ts";

export type { ScoreMetric };

interface ScoresProps {
  readonly metrics: readonly ScoreMetric[];
  readonly scores: Readonly<Record<string, number | null>>;
  /** The best values of single submissions, where `scores` combines several submissions. */
  readonly best?: Readonly<Record<string, number | null>>;
}

export const ScoreList = ({ metrics, scores, best = {} }: ScoresProps) => (
  <dl class="scores">
    {metrics.map((metric) => (
      <div key={metric.id} class={metric.primary ? "primary" : undefined}>
        <dt>{metric.label}</dt>
        <dd>{formatWithUnit(scores[metric.id], metric)}</dd>
        {best[metric.id] != null && best[metric.id] !== scores[metric.id] && (
          <dd class="sense">
            {say("best in one submission: {value}", { value: formatWithUnit(best[metric.id], metric) })}
          </dd>
        )}
        <dd class="sense">{`${metric.direction === "higher" ? "↑" : "↓"} ${sayBetter(metric)}`}</dd>
      </div>
    ))}
  </dl>
);

interface ScoreCellsProps {
  readonly metrics: readonly Pick<Metric, "id" | "decimals">[];
  readonly scores: Readonly<Record<string, number>> | null;
}

export const ScoreCells = ({ metrics, scores }: ScoreCellsProps) => (
  <>
    {metrics.map((metric) => (
      <td key={metric.id} class="number">
        {formatScore(scores?.[metric.id], metric)}
      </td>
    ))}
  </>
);
