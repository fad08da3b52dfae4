/** Up to five players side by side: their values, the best of each column strong. */

import type { Metric } from "../../api/generated/types.ts";
import { locale, say } from "../../languages/say.ts";
import { Face } from "../../ui/icons.tsx";
import { formatRank, formatWithUnit, MISSING } from "../../ui/lib/format.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { Table } from "../../ui/table_head.tsx";
import { formatPlayer } from "../rows/ranks.ts";
import type { Row } from "../rows/row.ts";

interface Props {
  readonly players: readonly Row[];
  readonly metrics: readonly Metric[];
}

export function Compare({ players, metrics }: Props) {
  const isPair = players.length === 2;
  return (
    <figure class="chart compare">
      <figcaption>
        <h3>{say("Picked players side by side")}</h3>
        <p>{describe(players, metrics)}</p>
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
          ...(isPair ? [say("Difference")] : []),
        ]}
        rows={[
          [say("Rank"), ...players.map((row) => formatRank(row.rank, row.tied)), ...(isPair ? [""] : [])],
          ...metrics.map((metric) => [
            metric.label,
            ...listValues(players, metric),
            ...(isPair ? [differ(players, metric)] : []),
          ]),
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

/** Return how much the second player has more than the first. */
function differ([first, second]: readonly Row[], metric: Metric): string {
  const [value, other] = [first?.scores[metric.id], second?.scores[metric.id]];
  if (value == null || other == null) return MISSING;
  return `${other > value ? "+" : ""}${formatWithUnit(other - value, metric)}`;
}

/** Return whether a player alone has the best value. */
const isAlone = (players: readonly Row[], row: Row, { id, direction }: Metric): boolean => {
  const value = row.scores[id];
  const others = players.filter((other) => other !== row).map((other) => other.scores[id]);
  if (value == null || others.every((other) => other == null)) return false;
  return others.every((other) => other == null || (direction === "higher" ? value > other : value < other));
};

function describe(players: readonly Row[], metrics: readonly Metric[]): string {
  const [first] = players;
  if (!first || players.length === 1) return say("Pick another player in the board to compare.");
  const wins = players.map((row) => metrics.filter((metric) => isAlone(players, row, metric)).length);
  const most = Math.max(...wins);
  const leaders = players.filter((_, index) => wins[index] === most).map((row) => formatPlayer(row.name, row.verified));
  return most === 0
    ? say("No column has a best value of one of these players alone.")
    : say(
        "Alone with the best value in {most} of {count} column: {leaders}.|Alone with the best value in {most} of {count} columns: {leaders}.",
        { most, count: metrics.length, leaders: new Intl.ListFormat(locale).format(leaders) },
      );
}
