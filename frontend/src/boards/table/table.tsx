/** The board: rows in a window that scrolls through all of them, and columns that sort. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Head, Metric } from "../../api/generated/types.ts";
import { MAX_PICKS, sortKeyOf, type View } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { useNow } from "../../ui/hooks/browser.ts";
import { Caret, Face, Medal } from "../../ui/icons.tsx";
import { formatCount, formatDigits, formatRank, formatScore, sayBetter } from "../../ui/lib/format.ts";
import { playerPath } from "../../ui/lib/route.ts";
import { ScrollArea } from "../../ui/tables.tsx";
import { TimeAgo } from "../../ui/values.tsx";
import { baselineIds, describeMissing, deservesMedal, titleOf, type Row } from "../rows/row.ts";
import { formatGap, placeOf, type Shape } from "../rows/shape.ts";
import { PlayerMarks } from "./marks.tsx";
import { useMoves } from "./use_moves.ts";
import type { Selection } from "./use_selection.ts";
import { useWindow } from "./use_window.ts";

interface Props {
  readonly head: Head;
  readonly selection: Selection;
  readonly metrics: readonly Metric[];
  /** The line on which each row has its place; null if there is none. */
  readonly shape: Shape | null;
  /** Whether rows can be picked for a comparison. */
  readonly compares: boolean;
  readonly view: View;
  readonly changed: ReadonlySet<string>;
  /** How many rows share each of the first three ranks. */
  readonly sharers: ReadonlyMap<number, number>;
  /** The visitor's player, if known. */
  readonly me: string | null;
  /** Called with what to sort by; null if the rows have one order. */
  readonly onSort: ((key: string) => void) | null;
  readonly onPick: (row: Row) => void;
  /** Called with the first row in the window, counted from 1, when the visitor has scrolled. */
  readonly onScrolled: (from: number) => void;
}

/** So many rows of a long board are printed at most. */
const MAX_PRINTED = 500;
/** A longer board has a window of its own; a shorter one is shown as a whole. */
const LONG_BOARD = 300;
// Longer names may be cut.
const LONG_NAME = 14;
const MAX_MEDAL_SHARERS = 3;

export function BoardTable(props: Props) {
  const { head, selection, metrics, shape, compares, view, me, onScrolled } = props;
  const now = useNow();
  const area = useRef<HTMLDivElement>(null);
  const { count } = selection;
  const isLong = count > LONG_BOARD;
  const drawn = useWindow(area, count, view.from - 1, (first) => onScrolled(first + 1));
  const printed = usePrinting() && isLong ? countLoaded(selection) : null;
  const [start, end] = printed !== null ? [0, printed] : isLong ? [drawn.start, drawn.end] : [0, count];
  const baselines = baselineIds(head);
  useEffect(() => selection.need(start, Math.max(end, 1)));
  useSteadyColumns(area, metrics, isLong);
  useMoves(area, isLong ? null : String(head.sequence), `${view.sort} ${view.direction} ${view.kind} ${view.query}`);
  return (
    <>
      <ScrollArea
        class={isLong ? "board ranking long" : "board ranking"}
        label={say("Board of {title}", { title: titleOf(head) })}
        area={area}
        {...(isLong ? { onScroll: drawn.onScroll, onKeyDown: drawn.onKeyDown } : {})}
      >
        <table
          aria-rowcount={count + 1}
          style={{
            "--digits": String(count).length,
            ...(isLong && { "--above": `${drawn.above}px`, "--below": `${drawn.below}px` }),
          }}
        >
          <BoardHead {...{ metrics, shape, compares, view }} onSort={props.onSort} />
          <tbody>
            {Array.from({ length: end - start }, (_, offset) => {
              const index = start + offset;
              const row = selection.row(index);
              return row === null ? (
                <tr key={index} aria-rowindex={index + 2} class="empty">
                  <td colSpan={metrics.length + 6}>
                    <span class="unseen">{say("Loading …")}</span>
                    <div class="bar" />
                  </td>
                </tr>
              ) : (
                <BoardRow
                  key={row.id}
                  {...{ head, row, index, metrics, shape, compares, now, view }}
                  isMine={row.player === me}
                  isBaseline={baselines.has(row.id)}
                  isChanged={props.changed.has(row.id)}
                  medal={(props.sharers.get(row.rank) ?? Infinity) <= MAX_MEDAL_SHARERS}
                  onPick={props.onPick}
                />
              );
            })}
          </tbody>
        </table>
      </ScrollArea>
      {printed !== null && printed < count && (
        <p>
          {say("The first {shown} of {total} rows. All of them, as CSV: {url}", {
            shown: printed,
            total: count,
            url: `${location.origin}/api/benchmarks/${head.id}/rows.csv?board=${head.board}`,
          })}
        </p>
      )}
    </>
  );
}

/** The headers of the columns. */
function BoardHead({
  metrics,
  shape,
  compares,
  view,
  onSort,
}: Pick<Props, "metrics" | "shape" | "compares" | "view" | "onSort">) {
  const header = (sort: string, label: string, metric?: Metric) => (
    <SortHeader key={sort} {...{ sort, label, metric, view, onSort }} />
  );
  return (
    <thead>
      <tr aria-rowindex={1}>
        {compares && (
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

/** Return whether the page is being printed. Browsers print what is drawn when these events have ended. */
function usePrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    const change = (event: Event): void => setIsPrinting(event.type === "beforeprint");
    const leaving = new AbortController();
    for (const name of ["beforeprint", "afterprint"]) addEventListener(name, change, leaving);
    return () => leaving.abort();
  }, []);
  return isPrinting;
}

/** Return how many of the first rows are loaded, as far as they are printed. */
function countLoaded({ count, row }: Selection): number {
  let loaded = 0;
  while (loaded < Math.min(count, MAX_PRINTED) && row(loaded) !== null) loaded++;
  return loaded;
}

interface RowProps extends Pick<Props, "head" | "metrics" | "shape" | "compares" | "view" | "onPick"> {
  readonly row: Row;
  readonly index: number;
  readonly now: number;
  readonly isMine: boolean;
  readonly isBaseline: boolean;
  readonly isChanged: boolean;
  readonly medal: boolean;
}

function BoardRow(props: RowProps) {
  const { head, row, index, metrics, shape, view, isMine, isChanged } = props;
  const { parts } = head;
  const missing = describeMissing(parts, row.scores);
  const name = row.label ? `${row.name} · ${row.label}` : row.name;
  const primary = metrics.find((metric) => metric.primary);
  const medal = props.medal && deservesMedal(parts, row.scores, primary);
  const isPicked = view.picks.includes(row.id);
  const classes = `${isChanged ? "changed" : ""} ${isMine ? "mine" : ""}`.trim();
  return (
    <tr class={classes || undefined} data-row={row.id} aria-rowindex={index + 2}>
      {props.compares && (
        <td class="pick-cell">
          <label>
            <input
              type="checkbox"
              aria-label={say("Compare {name}", { name })}
              checked={isPicked}
              disabled={view.picks.length >= MAX_PICKS && !isPicked}
              onChange={() => props.onPick(row)}
            />
          </label>
        </td>
      )}
      <td class="rank-cell">
        <Rank row={row} medal={medal} />
      </td>
      <th scope="row" class="player-cell">
        <Face {...row} />
        <a
          dir="auto"
          href={playerPath(head.id, row.player, view.board)}
          title={name.length > LONG_NAME ? name : undefined}
        >
          {row.name}
          {row.label && (
            <>
              {" · "}
              <bdi>{row.label}</bdi>
            </>
          )}
        </a>
        <PlayerMarks {...row} isBaseline={props.isBaseline} />
        {(missing !== null || isMine) && (
          <span class="tags">
            {missing}
            {missing !== null && isMine && " · "}
            {isMine && <strong>{say("you")}</strong>}
          </span>
        )}
      </th>
      {metrics.flatMap((metric) => [
        <td
          key={metric.id}
          class={metric.primary ? "number primary" : "number"}
          title={formatDigits(row.scores[metric.id], metric)}
        >
          {formatScore(row.scores[metric.id], metric)}
        </td>,
        shape?.metric.id === metric.id && (
          <td key="shape" class="shape-cell">
            <Gap shape={shape} value={row.scores[metric.id]} />
          </td>
        ),
      ])}
      <td class="number">{formatCount(row.submissions)}</td>
      <td class="when">
        <TimeAgo at={row.at} now={props.now} short />
      </td>
    </tr>
  );
}

/** The ends of the line. */
const ShapeHeader = ({ shape }: { readonly shape: Shape }) => (
  <th scope="col" class="shape-cell">
    <span class="gap">{say("to 1st")}</span>
    <span class="ends" aria-hidden="true">
      <span>{formatScore(shape.worst, shape.metric)}</span>
      <span>{formatScore(shape.best, shape.metric)}</span>
    </span>
  </th>
);

/** The distance of a value to the first, and its place on the line. */
export function Gap({ shape, value }: { readonly shape: Shape; readonly value: number | null | undefined }) {
  const place = placeOf(shape, value);
  return (
    <>
      {/* A gap without height would let the line begin further left. */}
      <span class="gap">{formatGap(shape, value) || "\u00A0"}</span>
      {place !== null && <span class="line" style={{ "--at": place.toFixed(3) }} />}
    </>
  );
}

/** Let columns become wider only: with other rows in the window, they would move to and fro. */
function useSteadyColumns(area: { readonly current: HTMLElement | null }, metrics: readonly Metric[], isLong: boolean) {
  const key = isLong ? metrics.map((metric) => metric.id).join() : "";
  const widths = useRef({ key, values: [] as number[] });
  useLayoutEffect(() => {
    if (widths.current.key !== key) widths.current = { key, values: [] };
    area.current?.querySelectorAll<HTMLElement>("thead th").forEach((cell, column) => {
      const isSteady = isLong && !cell.classList.contains("player-cell");
      const width = isSteady ? Math.max(widths.current.values[column] ?? 0, cell.offsetWidth) : 0;
      if (widths.current.values[column] === width) return;
      widths.current.values[column] = width;
      cell.style.minWidth = width === 0 ? "" : `${width}px`;
    });
  });
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

// Fewer nodes make sorting faster: a page has fifty rows, and each click on a header renders all of them.
function Rank({ row: { rank, tied, delta }, medal }: { readonly row: Row; readonly medal: boolean }) {
  const hasMedal = medal && rank <= 3;
  const content = [
    tied && <span class="unseen">{say("shared")} </span>,
    hasMedal && <Medal rank={rank} tied={tied} />,
    hasMedal ? <span class="unseen">{rank}</span> : formatRank(rank, tied),
    delta !== undefined && delta !== 0 && <Delta delta={delta} />,
  ];
  return hasMedal ? <span class="rank">{content}</span> : content;
}

/** The ranks won or lost since the day before. */
export function Delta({ delta }: { readonly delta: number | null }) {
  if (delta === null) return <span class="delta new">{say("new")}</span>;
  const words =
    delta > 0
      ? say("up {count} since the day before", { count: delta })
      : say("down {count} since the day before", { count: -delta });
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
