/** Who leads a board, and the two behind. It is of the whole board, however its rows are sorted and filtered. */

import type { Head } from "../api/generated/types.ts";
import { MAIN } from "../api/view.ts";
import { say } from "../languages/say.ts";
import { Face, Medal } from "../ui/icons.tsx";
import { lazy } from "../ui/lazy.tsx";
import { describeScore, formatRank, formatScore, formatSince } from "../ui/lib/format.ts";
import { playerPath } from "../ui/lib/route.ts";
import { findLead, hasMedal, rowAt, type FindMove, type Row } from "./rows/row.ts";
import { formatGap, type Shape } from "./rows/shape.ts";
import { PlayerMarks } from "./table/marks.tsx";
import { Delta } from "./table/table.tsx";

const Race = lazy(() => import("./beside/race.tsx").then((module) => module.Race), "race", 0);

interface Props {
  readonly head: Head;
  readonly shape: Shape | null;
  readonly move: FindMove | null;
}

export function Podium({ head, shape, move }: Props) {
  const primary = head.metrics.find((metric) => metric.primary);
  const length = head.rows.rank[3] === 3 && head.rows.rank[4] !== 3 ? 4 : 3; // two share the third rank
  const [first, ...next] = head.rows.player.slice(0, length).map((_, index) => rowAt(head.rows, index));
  if (!primary || !first) return null;
  const deciding = new Set(head.ranking.order.map(([id]) => id));
  // A second value of the same unit, such as %, would have no name.
  const others = head.metrics
    .filter(({ id, unit }) => id !== primary.id && deciding.has(id) && (unit === null || unit !== primary.unit))
    .slice(0, 1);
  const state = head.final?.is_shown ? "final" : head.frozen ? "frozen" : "";
  const describe = (row: Row) => others.map((metric) => describeScore(row.scores[metric.id], metric)).join(" · ");
  const place = (row: Row, size: number) => [
    hasMedal(head, row) ? <Medal rank={row.rank} tied={row.tied} /> : <span>{formatRank(row.rank, row.tied)}</span>,
    <Face {...row} size={size} />,
    <span class="who">
      <a dir="auto" href={playerPath(head.id, row.player, head.board)}>
        {row.label ? `${row.name} · ${row.label}` : row.name}
      </a>
      <PlayerMarks {...row} />
      <Delta move={move?.(row)} />
    </span>,
  ];
  return (
    <section class={`podium ${state}`} aria-label={say("Who leads")}>
      {!first.tied && <Race head={head} />}
      <div class="first">
        {place(first, 60)}
        <p class="value">
          {formatScore(first.scores[primary.id], primary)}{" "}
          <small>
            {[`${primary.unit ?? ""} ${primary.label}`.trim(), describe(first)].filter(Boolean).join(" · ")}
          </small>
        </p>
        <p class="fine">{sayLead(head)}</p>
      </div>
      <ol>
        {next.map((row) => (
          <li key={row.id}>
            {place(row, 28)}
            <strong>{formatScore(row.scores[primary.id], primary)}</strong>
            <small>
              <span>{describe(row)}</span>
              {shape && formatGap(shape, row.scores[primary.id])}
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Return since when the first row leads, as far as that is known. */
function sayLead(head: Head): string {
  if (head.final?.is_shown) return head.board === MAIN ? say("Final: public rank → final rank") : say("Final");
  if (head.frozen) return say("led at {time}", { time: formatSince(Date.parse(head.frozen.since)) });
  const lead = findLead(head);
  return lead ? say("leads since {time}", { time: formatSince(lead.at) }) : "";
}
