/** Named values in a row of tiles. */

import { formatWithUnit } from "../../lib/format.ts";
import type { Metric } from "../../api/generated/snapshots.ts";

/** What a value is shown with. */
export type Column = Pick<Metric, "id" | "label" | "unit" | "decimals" | "direction" | "primary">;

interface Props {
  readonly columns: readonly Column[];
  readonly scores: Readonly<Record<string, number | null>>;
  /** The best that one submission reached alone, where the scores are put together from several. */
  readonly best?: Readonly<Record<string, number | null>>;
}

export const ScoreList = ({ columns, scores, best = {} }: Props) => (
  <dl class="scores">
    {columns.map((column) => (
      <div key={column.id} class={column.primary ? "primary" : undefined}>
        <dt>{column.label}</dt>
        <dd>{formatWithUnit(scores[column.id], column)}</dd>
        {best[column.id] != null && best[column.id] !== scores[column.id] && (
          <dd class="sense">best in one submission: {formatWithUnit(best[column.id], column)}</dd>
        )}
        <dd class="sense">{column.direction === "higher" ? "↑ higher is better" : "↓ lower is better"}</dd>
      </div>
    ))}
  </dl>
);
