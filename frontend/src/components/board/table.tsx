/** The board: one row for each player, columns that sort. */

import type { Metric } from "../../api/generated/types.ts";
import { useNow } from "../../hooks/browser.ts";
import { formatCount, formatRank, formatScore } from "../../lib/format.ts";
import { playerPath } from "../../lib/route.ts";
import type { Row } from "../../lib/table.ts";
import { MAX_PICKS, sortKeyOf, type View } from "../../lib/view.ts";
import { Caret, Medal } from "../icons.tsx";
import { ScrollArea } from "../tables.tsx";
import { TimeAgo } from "../values.tsx";

interface Props {
  readonly benchmark: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly metrics: readonly Metric[];
  readonly view: View;
  readonly changed: ReadonlySet<string>;
  /** How many players share each of the first three ranks. */
  readonly sharers: ReadonlyMap<number, number>;
  readonly onSort: (key: string) => void;
  readonly onPick: (player: string) => void;
}

// Longer names may need more than two lines.
const LONG_NAME = 18;
const MAX_MEDAL_SHARERS = 3;

export function BoardTable({ benchmark, title, rows, metrics, view, changed, sharers, onSort, onPick }: Props) {
  const now = useNow();
  const header = (sort: string, label: string, metric?: Metric) => (
    <SortHeader key={sort} {...{ sort, label, metric, view, onSort }} />
  );
  return (
    <ScrollArea class="board" label={`Board of ${title}`}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="pick-cell">
              <span class="unseen">Compare</span>
            </th>
            {header("rank", "Rank")}
            {header("player", "Player")}
            {metrics.map((metric) => header(sortKeyOf(metric), metric.label, metric))}
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
                    aria-label={`Compare ${row.name}`}
                    checked={view.picks.includes(row.player)}
                    disabled={view.picks.length >= MAX_PICKS && !view.picks.includes(row.player)}
                    onChange={() => onPick(row.player)}
                  />
                </label>
              </td>
              <td class="rank-cell">
                <Rank row={row} medal={(sharers.get(row.rank) ?? Infinity) <= MAX_MEDAL_SHARERS} />
              </td>
              <th scope="row" class="player-cell">
                <a
                  href={playerPath(benchmark, row.player)}
                  class={row.name.length > LONG_NAME ? "long" : undefined}
                  title={row.name.length > LONG_NAME ? row.name : undefined}
                >
                  <bdi>{row.name}</bdi>
                </a>
                <span class="tags">{row.verified ? row.kind : `${row.kind} · guest`}</span>
              </th>
              {metrics.map((metric) => (
                <td key={metric.id} class={metric.primary ? "number primary" : "number"}>
                  {formatScore(row.scores[metric.id], metric)}
                </td>
              ))}
              <td class="number">{formatCount(row.submissions)}</td>
              <td class="when">
                <TimeAgo at={row.at} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

interface SortHeaderProps {
  readonly sort: string;
  readonly label: string;
  readonly metric: Metric | undefined;
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

// Fewer nodes make sorting faster: a page has fifty rows, and each click on a header renders all of them.
function Rank({ row, medal }: { readonly row: Row; readonly medal: boolean }) {
  const delta = row.delta === undefined || row.delta === 0 ? null : <Delta delta={row.delta} />;
  const shared = row.tied && <span class="unseen">shared </span>;
  if (medal && row.rank <= 3) {
    return (
      <span class="rank">
        {shared}
        <Medal rank={row.rank} tied={row.tied} />
        <span class="unseen">{row.rank}</span>
        {delta}
      </span>
    );
  }
  return (
    <>
      {shared}
      {formatRank(row.rank, row.tied)}
      {delta}
    </>
  );
}

/** The ranks won or lost since the day before. */
function Delta({ delta }: { readonly delta: number | null }) {
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
