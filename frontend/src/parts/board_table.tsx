/** The board: one row a player, columns that sort. */

import { formatCount, formatRank, formatScore, spellRank } from "../logic/format.ts";
import { playerPath } from "../logic/route.ts";
import type { Row } from "../logic/table.ts";
import { MAX_PICKS, sortKeyOf, type View } from "../logic/view.ts";
import type { Metric } from "../snapshots.ts";
import { Caret, Medal } from "./icons.tsx";
import { Moment } from "./moment.tsx";
import { PlayerName } from "./player_name.tsx";

interface Props {
  readonly benchmark: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly metrics: readonly Metric[];
  readonly view: View;
  readonly changed: ReadonlySet<string>;
  /** How many share each of the first three ranks. */
  readonly sharers: ReadonlyMap<number, number>;
  readonly onSort: (key: string) => void;
  readonly onPick: (player: string) => void;
}

const MOST_SHARERS_OF_A_MEDAL = 3;

export function BoardTable({ benchmark, title, rows, metrics, view, changed, sharers, onSort, onPick }: Props) {
  const header = (key: string, label: string) => (
    <SortHeader key={key} sort={key} label={label} view={view} onSort={onSort} />
  );
  return (
    <div class="scroller board" tabIndex={0} role="group" aria-label={`Board of ${title}`}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="pick-cell">
              <span class="unseen">Compare</span>
            </th>
            {header("rank", "Rank")}
            {header("player", "Player")}
            {metrics.map((metric) => (
              <SortHeader
                key={metric.id}
                sort={sortKeyOf(metric)}
                label={metric.label}
                metric={metric}
                view={view}
                onSort={onSort}
              />
            ))}
            {header("submissions", "Runs")}
            {header("last", "Last")}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.player} class={changed.has(row.player) ? "changed" : undefined}>
              <td class="pick-cell">
                <label>
                  <input
                    type="checkbox"
                    checked={view.picks.includes(row.player)}
                    disabled={view.picks.length >= MAX_PICKS && !view.picks.includes(row.player)}
                    onChange={() => onPick(row.player)}
                  />
                  <span class="unseen">
                    Compare <bdi>{row.name}</bdi>
                  </span>
                </label>
              </td>
              <td class="rank-cell">
                <Rank row={row} medal={(sharers.get(row.rank) ?? Infinity) <= MOST_SHARERS_OF_A_MEDAL} />
              </td>
              <th scope="row" class="player-cell">
                <PlayerName
                  name={row.name}
                  kind={row.kind}
                  verified={row.verified}
                  href={playerPath(benchmark, row.player)}
                />
              </th>
              {metrics.map((metric) => (
                <td key={metric.id} class={metric.primary ? "number primary" : "number"}>
                  <Value value={row.scores[metric.id] ?? null} metric={metric} />
                </td>
              ))}
              <td class="number">{formatCount(row.submissions)}</td>
              <td class="when">
                <Moment at={row.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortHeaderProps {
  readonly sort: string;
  readonly label: string;
  readonly metric?: Metric;
  readonly view: View;
  readonly onSort: (key: string) => void;
}

function SortHeader({ sort, label, metric, view, onSort }: SortHeaderProps) {
  const active = view.sort === sort;
  const direction = view.direction === "asc" ? "ascending" : "descending";
  const classes = [
    metric || sort === "submissions" ? "number" : sort === "last" ? "when" : `${sort}-cell`,
    metric?.primary ? "primary" : "",
  ];
  return (
    <th
      scope="col"
      class={classes.join(" ").trim()}
      aria-sort={active ? direction : undefined}
      title={metric?.help ?? undefined}
    >
      <button type="button" onClick={() => onSort(sort)}>
        <span class="column">
          {label}
          <Caret direction={active ? (view.direction === "asc" ? "up" : "down") : "both"} />
        </span>
        {metric && (
          <span class="sense">
            {metric.unit ? `${metric.unit} · ` : ""}
            {metric.direction === "higher" ? "↑ higher" : "↓ lower"}
            <span class="unseen"> is better</span>
          </span>
        )}
      </button>
    </th>
  );
}

const Rank = ({ row, medal }: { readonly row: Row; readonly medal: boolean }) => (
  <span class="rank">
    {medal && row.rank <= 3 ? (
      <>
        <Medal rank={row.rank} />
        {row.tied && (
          <span class="tie" aria-hidden="true">
            =
          </span>
        )}
        <span class="unseen">{spellRank(row.rank, row.tied)}</span>
      </>
    ) : (
      <>
        <span aria-hidden="true">{formatRank(row.rank, row.tied)}</span>
        <span class="unseen">{spellRank(row.rank, row.tied)}</span>
      </>
    )}
    <Delta delta={row.delta} />
  </span>
);

/** How many ranks were climbed since the day before. */
function Delta({ delta }: { readonly delta: number | null | undefined }) {
  if (delta === undefined || delta === 0) return null;
  if (delta === null) return <span class="delta new">new</span>;
  const words = `${delta > 0 ? "up" : "down"} ${Math.abs(delta)} since the day before`;
  return (
    <span class={delta > 0 ? "delta up" : "delta down"} title={words}>
      <span aria-hidden="true">
        {delta > 0 ? "▲" : "▼"}
        {Math.abs(delta)}
      </span>
      <span class="unseen">, {words}</span>
    </span>
  );
}

const Value = ({ value, metric }: { readonly value: number | null; readonly metric: Metric }) =>
  value === null ? (
    <span class="absent">
      <span aria-hidden="true">–</span>
      <span class="unseen">no value</span>
    </span>
  ) : (
    <>{formatScore(value, metric)}</>
  );
