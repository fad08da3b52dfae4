/** What the columns mean, for who asks. */

import type { Metric } from "../../api/generated/snapshots.ts";

export const ColumnHelp = ({ metrics }: { readonly metrics: readonly Metric[] }) => (
  <details class="help">
    <summary>What the columns mean</summary>
    <dl>
      {metrics.map((metric) => (
        <div key={metric.id}>
          <dt>{metric.label}</dt>
          <dd>
            {metric.help && `${metric.help} `}
            {metric.direction === "higher" ? "Higher is better." : "Lower is better."}
            {metric.unit && ` Unit: ${metric.unit}.`}
            {metric.primary && " Decides the rank first."}
          </dd>
        </div>
      ))}
      <div>
        <dt>Runs</dt>
        <dd>How many scored submissions the player has.</dd>
      </div>
      <div>
        <dt>Last</dt>
        <dd>When the submission came that the score rests on.</dd>
      </div>
    </dl>
  </details>
);
