/** Up to five players side by side: their values, the best of each column strong. */

import type { Metric } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { Face } from "../../ui/icons.tsx";
import { formatRank, formatWithUnit } from "../../ui/lib/format.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { Table } from "../../ui/table_head.tsx";
import type { Row } from "../rows/row.ts";

interface Props {
  readonly players: readonly Row[];
  readonly metrics: readonly Metric[];
}

export function Compare({ players, metrics }: Props) {
  return (
    <figure class="chart compare">
      <figcaption>
        <h3>{say("Picked players side by side")}</h3>
        {players.length === 1 && <p>{say("Pick another player in the board to compare.")}</p>}
      </figcaption>
      <Table
        label={say("Figures of the players side by side")}
        kind="data"
        columns={[
          { label: <span class="unseen">{say("Columns")}</span> },
          ...players.map((row) => ({
            label: (
              <>
                <Face {...row} size={20} /> <ShortName name={row.name} verified={row.verified} />
              </>
            ),
          })),
        ]}
        rows={[
          [say("Rank"), ...players.map((row) => formatRank(row.rank, row.tied))],
          ...metrics.map((metric) => [metric.label, ...listValues(players, metric)]),
        ]}
      />
    </figure>
  );
}

/** Return the value of each player, of several the best as strong. */
function listValues(players: readonly Row[], metric: Metric) {
  const values = players.map((row) => row.scores[metric.id] ?? null);
  const known = values.filter((value) => value !== null);
  const best = known.length < 2 ? null : metric.direction === "higher" ? Math.max(...known) : Math.min(...known);
  return values.map((value) => {
    const text = formatWithUnit(value, metric);
    return value !== null && value === best ? <strong>{text}</strong> : text;
  });
}
