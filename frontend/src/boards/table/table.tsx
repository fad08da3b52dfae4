/** The board: rows in a window that scrolls through all of them, and columns that sort. */

import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { writeDigits } from "../../../../sdk/numbers.js";
import type { Head, Metric } from "../../api/generated/types.ts";
import { sortKeyOf, type View } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { Caret, Face } from "../../ui/icons.tsx";
import { describeScore, formatCount, formatScore, sayBetter } from "../../ui/lib/format.ts";
import { playerPath } from "../../ui/lib/route.ts";
import { ScrollArea } from "../../ui/tables.tsx";
import { TimeAgo } from "../../ui/values.tsx";
import { baselineIds, describeMissing, hasMedal, isPlain, titleOf, type FindMove, type Row } from "../rows/row.ts";
import { formatGap, placeOf, shapeOf, type Shape } from "../rows/shape.ts";
import { PlayerMarks, RankMark } from "./marks.tsx";
import { useMoves } from "./use_moves.ts";
import type { Selection } from "./use_selection.ts";

export interface Props {
  readonly head: Head;
  readonly selection: Selection;
  readonly metrics: readonly Metric[];
  /** The line on which each row has its place; null if there is none. */
  readonly shape: Shape | null;
  /** The rows that are picked for a comparison; null if none can be. */
  readonly picks: readonly Row[] | null;
  readonly view: View;
  readonly changed: ReadonlySet<string>;
  /** Finds how rows have moved, once that is known. */
  readonly move: FindMove | null;
  /** The visitor's player, if known. */
  readonly me: string | null;
  /** Called with what to sort by; null if the rows have one order. */
  readonly onSort: ((key: string) => void) | null;
  readonly onPick: (row: Row) => void;
  /** Called with the first row in the window, counted from 1, when the visitor has scrolled. */
  readonly onScrolled: (from: number) => void;
}

/** So many rows can be compared. */
export const MAX_PICKS = 5;

/** More columns of scores scroll sideways, without bars; fewer are two lines of a row on a phone. */
const MANY = 5;

/** What a long board draws of its rows, the end excluded, and the pixels above and below them. */
export interface Drawn {
  readonly start: number;
  readonly end: number;
  readonly above: number;
  readonly below: number;
  /** The element that scrolls, and what it does then. */
  readonly area?: RefObject<HTMLDivElement | null>;
  readonly events?: { readonly onScroll?: () => void; readonly onKeyDown: (event: KeyboardEvent) => void };
}

export function TableFrame({ drawn, ...props }: Props & { readonly drawn?: Drawn }) {
  const { head, selection, metrics, picks, view, me } = props;
  const isMany = metrics.length > MANY;
  const shape = isMany ? null : props.shape;
  const lanes = useMemo(
    () => metrics.map((metric) => (isMany && !metric.primary ? shapeOf(head, head.rows, metric) : null)),
    [head, metrics],
  );
  const beside = listBeside(head, metrics, view);
  const own = useRef<HTMLDivElement>(null);
  const area = drawn?.area ?? own;
  const { count } = selection;
  const isLong = drawn !== undefined;
  const [start, end] = [drawn?.start ?? 0, drawn?.end ?? count];
  const baselines = baselineIds(head);
  useEffect(() => selection.need(start, Math.max(end, 1)));
  useMoves(area, isLong ? null : String(head.sequence), `${view.sort} ${view.direction} ${view.kind} ${view.query}`);
  return (
    <ScrollArea
      class={`board ranking ${isMany ? "many" : "rows"} ${isLong ? "long" : isPlain(view) && !isMany && picks === null && count > 1 ? "leads" : ""}`}
      label={say("Board of {title}", { title: titleOf(head) })}
      area={area}
      {...drawn?.events}
    >
      <table
        aria-rowcount={count + 1}
        style={{
          "--digits": String(count).length,
          ...(drawn && { "--above": `${drawn.above}px`, "--below": `${drawn.below}px` }),
        }}
      >
        <BoardHead {...{ metrics, shape, picks, view }} onSort={props.onSort} />
        <tbody>
          {Array.from({ length: end - start }, (_, offset) => {
            const index = start + offset;
            const row = selection.row(index);
            return row === null ? (
              <tr key={index} aria-rowindex={index + 2} class="empty">
                <td colSpan={metrics.length + 7}>
                  <span class="unseen">{say("Loading …")}</span>
                  <div class="bar" />
                </td>
              </tr>
            ) : (
              <BoardRow
                key={row.id}
                {...{ head, row, index, metrics, beside, shape, lanes, picks, view }}
                isMine={row.player === me}
                above={row.player === me && isPlain(view) ? selection.row(index - 1) : null}
                isBaseline={baselines.has(row.id)}
                isChanged={props.changed.has(row.id)}
                move={props.move}
                onPick={props.onPick}
              />
            );
          })}
        </tbody>
      </table>
    </ScrollArea>
  );
}

/** The headers of the columns. */
function BoardHead({
  metrics,
  shape,
  picks,
  view,
  onSort,
}: Pick<Props, "metrics" | "shape" | "picks" | "view" | "onSort">) {
  const header = (sort: string, label: string, metric?: Metric) => (
    <SortHeader key={sort} {...{ sort, label, metric, view, onSort }} />
  );
  return (
    <thead>
      {/* On a phone it scrolls, also where it has no button that takes the focus. */}
      <tr aria-rowindex={1} tabIndex={onSort === null ? 0 : undefined}>
        {picks && (
          <th scope="col" class="pick-cell">
            <span class="unseen">{say("Compare")}</span>
          </th>
        )}
        {header("rank", say("Rank"))}
        {header("player", say("Player"))}
        {metrics.flatMap((metric) => [
          header(sortKeyOf(metric), metric.label, metric),
          shape?.metric.id === metric.id && <ShapeHeader key="shape" shape={shape} />,
        ])}
        {header("submissions", say("Submissions"))}
        {header("last", say("Last"))}
      </tr>
    </thead>
  );
}

interface RowProps extends Pick<Props, "head" | "metrics" | "shape" | "picks" | "view" | "move" | "onPick"> {
  readonly row: Row;
  /** What a phone shows below the name. */
  readonly beside: readonly Metric[];
  /** Of many columns, the line of each. */
  readonly lanes: readonly (Shape | null)[];
  /** Above the visitor's row, which says how far that is. */
  readonly above: Row | null;
  readonly index: number;
  readonly isMine: boolean;
  readonly isBaseline: boolean;
  readonly isChanged: boolean;
}

function BoardRow(props: RowProps) {
  const { head, row, index, metrics, picks, view, isMine, isChanged } = props;
  const { parts } = head;
  const missing = describeMissing(parts, row.scores);
  const name = row.label ? `${row.name} · ${row.label}` : row.name;
  const primary = metrics.find((metric) => metric.primary);
  const isPicked = picks?.some(({ id }) => id === row.id);
  const classes = `${isChanged ? "changed" : ""} ${isMine ? "mine" : ""}`.trim();
  return (
    <tr class={classes || undefined} data-row={row.id} aria-rowindex={index + 2}>
      {picks && (
        <td class="pick-cell">
          <label>
            <input
              type="checkbox"
              aria-label={say("Compare {name}", { name })}
              checked={isPicked}
              disabled={picks.length >= MAX_PICKS && !isPicked}
              onChange={() => props.onPick(row)}
            />
          </label>
        </td>
      )}
      <td class="rank-cell">
        <RankMark {...row} hasMedal={hasMedal(head, row)} />
      </td>
      <th scope="row" class="player-cell">
        <Face {...row} />
        <span class="who">
          <a dir="auto" href={playerPath(head.id, row.player, view.board)} title={name}>
            {row.name}
            {row.label && (
              <>
                {" · "}
                <bdi>{row.label}</bdi>
              </>
            )}
          </a>
          <PlayerMarks {...row} isBaseline={props.isBaseline} />
          {missing !== null && <span class="fine"> {missing}</span>}
          {isMine && (
            <>
              {" "}
              <strong class="pill">{say("you")}</strong>
            </>
          )}
        </span>
        <span class="sub">
          {props.beside.map((metric) => describeScore(row.scores[metric.id], metric, primary)).join(" · ")}
        </span>
        <Delta move={props.move?.(row)} />
      </th>
      {drawScores(props)}
      <td class="number">{formatCount(row.submissions)}</td>
      <td class="when">
        <TimeAgo at={row.at} short />
      </td>
    </tr>
  );
}

/** Return what a phone shows below a name: what decides the rank, too, and what rows are sorted by; else the next. */
function listBeside({ ranking }: Head, metrics: readonly Metric[], { sort }: View): readonly Metric[] {
  const others = metrics.filter(({ primary }) => !primary);
  const told = others.filter((each) => sortKeyOf(each) === sort || ranking.order.some(([id]) => id === each.id));
  return told.length > 0 ? told : others.slice(0, 1);
}

/** Return the cells of a row's scores, of many columns each with its line and the best in bold. */
const drawScores = ({ metrics, row, lanes, shape, above }: RowProps) =>
  metrics.flatMap((metric, column) => {
    const value = row.scores[metric.id];
    const lane = lanes[column];
    const text = formatScore(value, metric);
    return [
      <td
        key={metric.id}
        class={metric.primary ? "number primary" : "number"}
        style={lane ? { "--w": placeOf(lane, value) ?? 0 } : undefined}
        title={writeDigits(value, metric)}
      >
        {value === lane?.best ? <strong>{text}</strong> : text}
      </td>,
      ...(shape?.metric.id === metric.id ? drawBar(shape, row, above) : []),
    ];
  });

/** Above the bars: their ends. */
const ShapeHeader = ({ shape }: { readonly shape: Shape }) => (
  <>
    <th scope="col" class="gap-cell">
      {say("to 1st")}
    </th>
    <th scope="col" class="lane-cell">
      <span>{formatScore(shape.end, shape.metric)}</span>
      <span>{formatScore(shape.best, shape.metric)}</span>
    </th>
  </>
);

/** Return the cells of a row's distance, for the visitor's to the next above, and of its bar. */
function drawBar(shape: Shape, row: Row, above: Row | null) {
  const [value, next] = [row.scores[shape.metric.id], above?.scores[shape.metric.id]];
  const gap = formatGap(shape, value, next ?? undefined);
  return [
    <td key="gap" class="gap-cell">
      {above && gap ? say("{gap} to rank {rank}", { gap, rank: above.rank }) : formatGap(shape, value)}
    </td>,
    <td key="lane" class="lane-cell">
      <Lane {...{ shape, value, next }} />
    </td>,
  ];
}

interface LaneProps {
  readonly shape: Shape;
  readonly value: number | null | undefined;
  /** What a tick on the bar is at. */
  readonly next?: number | null | undefined;
}

/** The bar of a value; hatched if the value is worse than the scale. */
function Lane({ shape, value, next }: LaneProps) {
  const [place, tick] = [placeOf(shape, value), placeOf(shape, next)];
  return (
    <span
      class={place === 0 ? "lane out" : "lane"}
      style={{ "--w": place?.toFixed(3) ?? 0, ...(tick ? { "--tick": tick.toFixed(3) } : {}) }}
    />
  );
}

interface SortHeaderProps extends Pick<Props, "view" | "onSort"> {
  readonly sort: string;
  readonly label: string;
  readonly metric: Metric | undefined;
}

function SortHeader({ sort, label, metric, view, onSort }: SortHeaderProps) {
  const active = onSort !== null && view.sort === sort;
  const direction = view.direction === "asc" ? "ascending" : "descending";
  const classes = [
    metric || sort === "submissions" ? "number" : sort === "last" ? "when" : `${sort}-cell`,
    metric?.primary ? "primary" : "",
  ];
  const content = (
    <>
      <span class="column">{label}</span>
      {metric && (
        <span class="sense">
          {metric.unit ? `${metric.unit} ` : ""}
          <span aria-hidden="true">{metric.direction === "higher" ? "↑" : "↓"}</span>
          <span class="unseen">, {sayBetter(metric)}</span>
        </span>
      )}
    </>
  );
  return (
    <th
      scope="col"
      class={classes.join(" ").trim()}
      aria-sort={active ? direction : undefined}
      title={metric?.help ?? undefined}
    >
      {onSort === null ? (
        content
      ) : (
        <button type="button" onClick={() => onSort(sort)}>
          {content}
          {active && <Caret direction={view.direction === "asc" ? "up" : "down"} />}
        </button>
      )}
    </th>
  );
}

/** The ranks that a row has won or lost. */
export const Delta = ({ move }: { readonly move: ReturnType<FindMove> | undefined }) =>
  move && (
    <span class={move.won > 0 ? "delta up" : move.won < 0 ? "delta down" : "delta"} title={move.words}>
      <span aria-hidden="true">
        {move.won > 0 ? "▲" : move.won < 0 && "▼"}
        {move.text}
      </span>
      <span class="unseen">, {move.words}</span>
    </span>
  );
