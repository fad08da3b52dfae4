/** A player's row between its neighbours: who was passed, and how far the others are. */

import type { Head } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { Face } from "../ui/icons.tsx";
import { formatScore, formatWithUnit } from "../ui/lib/format.ts";
import { playerPath } from "../ui/lib/route.ts";
import type { Place } from "./requests/rows.ts";
import { hasMedal, type Row } from "./rows/row.ts";
import { PlayerMarks, RankMark } from "./table/marks.tsx";

/** Return who is next above a row and by how much, or of the first how far the next below is; null if nobody is. */
export function describeNext({ head, row, around }: Place): string | null {
  const above = around.findLast((other) => other.rank < row.rank);
  const rival = above ?? around.find((other) => other.rank > row.rank);
  const distance = rival && measure(head, row, rival)?.slice(1);
  if (!rival || !distance) return null;
  const name = `\u2068${rival.name}\u2069`;
  return above
    ? say("Next: {name}, {distance} ahead.", { name, distance })
    : say("Next: {name}, {distance} behind.", { name, distance });
}

/** Return how far another row is from a row by the first metric in which they differ: `+5`, `−1.8 s`; else null. */
function measure(head: Head, row: Row, other: Row): string | null {
  const [id] = head.ranking.order.find(([each]) => row.scores[each] !== other.scores[each]) ?? [];
  const metric = head.metrics.find((each) => each.id === id);
  const [own, value] = metric ? [row.scores[metric.id], other.scores[metric.id]] : [];
  if (!metric || own == null || value == null) return null;
  return `${value < own ? "−" : "+"}${formatWithUnit(Math.abs(own - value), metric)}`;
}

interface Props {
  readonly place: Place;
  /** The rank before, if the row has risen. */
  readonly from?: number | null;
  /** Whether the row is the visitor's. */
  readonly isOwn: boolean;
  /** Whether the rows are seen on their way. */
  readonly moves?: boolean;
}

export function Ladder({ place: { head, row, around }, from, isOwn, moves = false }: Props) {
  const metric = head.metrics.find(({ primary }) => primary);
  const isPassed = ({ rank }: Row): boolean => from != null && rank > row.rank && rank <= from;
  return (
    <ol class={moves ? "ladder moves" : "ladder"} style={{ "--steps": around.filter(isPassed).length }}>
      {around.map((other) => {
        const isRow = other.id === row.id;
        const moved = isRow && from != null ? from - row.rank : isPassed(other) ? -1 : 0;
        return (
          <li key={other.id} class={isRow ? "me" : moved < 0 ? "was" : undefined}>
            <span class="r">
              <RankMark {...other} hasMedal={hasMedal(head, other)} />
            </span>
            <Face {...other} size={isRow ? 40 : 28} />
            <span class="who">
              <a href={playerPath(head.id, other.player, head.board)}>
                <bdi>{other.name}</bdi>
                {other.label !== null && [" · ", <bdi>{other.label}</bdi>]}
              </a>
              <PlayerMarks {...other} /> {isRow && isOwn && <span class="pill">{say("you")}</span>}
            </span>
            <span class={moved > 0 ? "delta up" : "delta down"} aria-hidden="true">
              {moved !== 0 && `${moved > 0 ? "▲" : "▼"}${Math.abs(moved)}`}
            </span>
            <b>{metric && formatScore(other.scores[metric.id], metric)}</b>
            <span class="g">{measure(head, row, other)}</span>
          </li>
        );
      })}
    </ol>
  );
}
