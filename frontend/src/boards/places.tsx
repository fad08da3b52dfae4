/** A player's places: on each board of a benchmark, and between those above and below. */

import { mix, say } from "../languages/say.ts";
import { Section } from "../ui/facts.tsx";
import { Face } from "../ui/icons.tsx";
import { formatCount, formatRank, formatScore, formatWithUnit } from "../ui/lib/format.ts";
import { boardPath, playerPath } from "../ui/lib/route.ts";
import type { ScoreMetric } from "../ui/scores.tsx";
import { numbers, Table } from "../ui/table_head.tsx";
import type { BoardPlace, Place } from "./requests/rows.ts";
import { explainRank, formatPlayer, spellRank } from "./rows/ranks.ts";
import type { Row } from "./rows/row.ts";
import { shapeOf, type Shape } from "./rows/shape.ts";
import { PlayerMarks } from "./table/marks.tsx";
import { Delta, Gap } from "./table/table.tsx";

/** Return how far a row is behind the one above it, or as the first ahead of the one below; null if it is alone. */
export function describeGap({ around, row }: Place, shape: Shape | null): string | null {
  const at = around.indexOf(row);
  const [above, below] = [around[at - 1], around[at + 1]];
  const rival = above ?? below;
  if (!rival || !shape) return null;
  const name = formatPlayer(rival.name, rival.verified);
  const distance = formatDistance(shape, row.scores[shape.metric.id], rival.scores[shape.metric.id]);
  if (distance === null) return say("as much as {name}", { name });
  return above
    ? say("{distance} behind {name}", { distance, name })
    : say("{distance} ahead of {name}", { distance, name });
}

/** Return a value with what it is a value of: `96 Coins`, `15.5 s Time`. */
export const formatAmount = (value: number | null | undefined, metric: ScoreMetric): string =>
  `${formatWithUnit(value, metric)} ${metric.label}`;

/** Return what would move a row up a rank; null if nothing is above it, or nobody can say it. */
export function describeNextRank({ head, around, row }: Place): string | null {
  const above = around.findLast((other) => other.rank < row.rank);
  if (!above) return null;
  const differing = head.ranking.order.find(([id]) => (row.scores[id] ?? null) !== (above.scores[id] ?? null));
  const metric = head.metrics.find(({ id }) => id === differing?.[0]);
  const value = metric && above.scores[metric.id];
  if (!metric || value == null) return null;
  const [player, better] = [formatPlayer(above.name, above.verified), formatAmount(value, metric)];
  const first = head.metrics.find(({ primary }) => primary);
  if (metric !== first && first) {
    const same = formatAmount(row.scores[first.id], first);
    return metric.direction === "higher"
      ? say("With {same}, more than {better} would pass {player}.", { same, better, player })
      : say("With {same}, less than {better} would pass {player}.", { same, better, player });
  }
  return metric.direction === "higher"
    ? say("More than {better} would pass {player}.", { better, player })
    : say("Less than {better} would pass {player}.", { better, player });
}

/** The place on each board, as a place on its line. */
export const PlaceList = ({ places }: { readonly places: readonly BoardPlace[] }) => (
  <Section id="places" title={say("On each board")}>
    <Table
      label={say("On each board")}
      class="board places"
      columns={[
        say("Board"),
        numbers(say("Score")),
        { label: <span class="gap">{say("to 1st")}</span>, class: "shape-cell" },
        numbers(say("Rank")),
      ]}
      rows={places.map(({ head, row, board, title }) => {
        const shape = shapeOf(head, head.rows);
        const metric = head.metrics.find(({ primary }) => primary);
        return [
          <a href={boardPath(head.id, board)}>{title}</a>,
          <strong>{metric && formatWithUnit(row.scores[metric.id], metric)}</strong>,
          shape && <Gap shape={shape} value={row.scores[shape.metric.id]} />,
          <>
            {mix("{rank} of {players}", {
              rank: <strong>{spellRank(row.rank, row.tied)}</strong>,
              players: formatCount(head.total),
            })}
            {row.delta != null && row.delta !== 0 && <Delta delta={row.delta} />}
          </>,
        ];
      })}
    />
  </Section>
);

/** Who is above and below, and by how much; the title of the board where there are several. */
export const Rivals = ({ place, title }: { readonly place: Place; readonly title: string | false }) =>
  place.around.length < 2 ? null : (
    <Section
      id="rivals"
      class="side-card"
      title={[say("Above and below"), title && <span class="fine"> · {title}</span>]}
    >
      <RivalTable place={place} />
    </Section>
  );

export function RivalTable({ place: { head, row, around } }: { readonly place: Place }) {
  const metric = head.metrics.find(({ primary }) => primary);
  if (!metric) return null;
  const own = row.scores[metric.id];
  const differ = (other: Row): string => {
    const value = other.scores[metric.id];
    if (value == null || own == null) return "";
    if (value === own) return explainRank(head, around, other) || (other === row ? "" : "=");
    return `${value < own ? "" : "+"}${formatScore(value - own, metric)}`;
  };
  return (
    <table class="rivals">
      <thead class="unseen">
        <tr>
          {[say("Rank"), say("Player"), metric.label, say("Difference")].map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {around.map((other) => (
          <tr key={other.id} class={other === row ? "mine" : undefined}>
            <td>{formatRank(other.rank, other.tied)}</td>
            <th scope="row">
              <Face {...other} size={20} />
              <a class="clip" href={playerPath(head.id, other.player, head.board)}>
                <bdi>{other.name}</bdi>
                {other.label !== null && (
                  <>
                    {" · "}
                    <bdi>{other.label}</bdi>
                  </>
                )}
              </a>
              <PlayerMarks {...other} />
            </th>
            <td class="number">{formatScore(other.scores[metric.id], metric)}</td>
            <td class="number fine">{differ(other)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Return the distance of two values without a sign, with its unit; null if there is none, or a value is missing. */
function formatDistance(
  { metric }: Shape,
  value: number | null | undefined,
  other: number | null | undefined,
): string | null {
  if (value == null || other == null || value === other) return null;
  return formatWithUnit(Math.abs(value - other), metric);
}
