/** `/b/{b}/wall`: a board for a hall or a stream, which nobody operates. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Head, Rows } from "../../api/generated/types.ts";
import { MAIN, parseBoard } from "../../api/view.ts";
import { mix, say } from "../../languages/say.ts";
import { useTitle } from "../../ui/hooks/browser.ts";
import { Face, Medal, Sign } from "../../ui/icons.tsx";
import { formatCount, formatRank, formatScore, formatSince, formatTime, formatWithUnit } from "../../ui/lib/format.ts";
import { hueOf } from "../../ui/lib/hash.ts";
import type { PageProps } from "../../ui/lib/route.ts";
import { Unavailable } from "../../ui/states.tsx";
import type { ShownBoard } from "../requests/boards.ts";
import { describeInstance } from "../rows/instances.ts";
import { explainRank, sayFrozen } from "../rows/ranks.ts";
import { findLead, findRow, hasMedal, isWhole, rowAt, titleOf, type Row } from "../rows/row.ts";
import { distanceOf, formatGap, placeOf, shapeOf, type Shape } from "../rows/shape.ts";
import { useMoves } from "../table/use_moves.ts";
import { useBoard, type Board } from "../use_board.ts";
import { useBoards } from "../use_boards.ts";
import { addNews, type News } from "./news.ts";
import { Moved, WallSide } from "./side.tsx";

/** The rows of a screen: in two columns where they are more than the smallest column. */
const PAGE = 40;
const COLUMN = 10;
/** So many letters of a name have room in a row, for each row of a column: the more rows, the smaller they are. */
const LETTERS = 1.3;
/** Of a longer board the first screen is shown only. */
const MAX_ROWS = 200;
const TURN_MILLISECONDS = 20_000;

export function WallPage({ benchmark, search }: PageProps) {
  const only = new URLSearchParams(search).has("board") ? parseBoard(search) : null;
  const { boards, archived } = useBoards(benchmark, true);
  const [[turn, page], setTurn] = useState([0, 0]);
  const id = only ?? boards[turn % Math.max(1, boards.length)]?.id ?? MAIN;
  const board = useBoard(benchmark, id, (head) => !isWhole(head) && head.total <= MAX_ROWS, false);
  const total = board.shown?.head.total ?? 0;
  const pages = total > MAX_ROWS ? 1 : Math.max(1, Math.ceil(total / PAGE));
  useTitle(board.shown ? titleOf(board.shown.head) : "");
  useAwake();
  useEffect(() => {
    const next = (): void => setTurn(([at]) => (page + 1 < pages ? [at, page + 1] : [at + 1, 0]));
    const timer = setTimeout(next, TURN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [turn, page, pages]);
  if (board.shown === null) {
    return (
      <main id="main" class="wall">
        <Unavailable
          {...board}
          missing={say("There is no board “{board}” of “{benchmark}”.", { board: id, benchmark })}
        />
      </main>
    );
  }
  const from = Math.min(page, pages - 1) * PAGE;
  return (
    <Shown board={board} {...board.shown} from={from} isOpen={archived === null}>
      {only === null && boards.length > 1 && (
        <ol class="turns">
          {boards.map((each) => (
            <li key={each.id} aria-current={each.id === id ? "page" : undefined}>
              {each.id === id ? <b>{each.title ?? say("All")}</b> : (each.title ?? say("All"))}
            </li>
          ))}
        </ol>
      )}
    </Shown>
  );
}

interface ShownProps extends ShownBoard {
  readonly board: Board;
  /** The index of the first row on the screen. */
  readonly from: number;
  readonly isOpen: boolean;
  readonly children: preact.ComponentChildren;
}

function Shown({ board, head, rows, from, isOpen, children }: ShownProps) {
  const news = useNews(board, head);
  const shape = useMemo(() => shapeOf(head, rows), [head, rows]);
  const screen = rows.player.slice(from, from + PAGE).map((_, index) => rowAt(rows, from + index));
  const longest = Math.max(0, ...screen.map(({ name, label }) => name.length + (label?.length ?? 0)));
  // Where a name would be cut, all are smaller, and have two lines in a row.
  const isTight = rows.player.length > COLUMN && longest > LETTERS * columnOf(rows);
  const classes = ["wall", head.frozen && "frozen", isTight && "tight"].filter(Boolean).join(" ");
  return (
    <main id="main" class={classes} style={{ "--h": hueOf(head.id) }}>
      <header>
        <Sign board={head.id} size={54} />
        <h1>{head.window ? head.title : titleOf(head)}</h1>
        {children}
        <p class="fine">
          {board.phase === "stale" ? (
            <strong>{say("no connection; as of {time}", { time: formatTime(Date.parse(head.generated_at)) })}</strong>
          ) : (
            [
              head.window && (describeInstance(head.board) ?? head.board_title),
              head.final?.is_shown && say("Final"),
              head.frozen && sayFrozen(head.frozen, formatSince),
              head.total > screen.length && `${formatCount(from + 1)}–${formatCount(from + screen.length)}`,
            ]
              .filter(Boolean)
              .join(" · ")
          )}
        </p>
      </header>
      <Band {...{ head, rows, shape, news }} />
      <Hall {...{ head, rows, shape, news, screen }} />
      <WallSide {...{ head, rows, news, isOpen }} />
      <p class="unseen" role="status">
        {board.announcement}
      </p>
    </main>
  );
}

/** Return the news of a board that is shown, until they are old. */
function useNews({ before }: Board, head: Head): News | null {
  const [news, setNews] = useState<News | null>(null);
  useLayoutEffect(() => setNews((last) => addNews(last, before.current, head, Date.now())), [head]);
  useEffect(() => {
    const ends = [...(news?.moved.values() ?? []), ...(news?.lead ? [news.lead] : [])].map(({ until }) => until);
    if (ends.length === 0) return undefined;
    const forget = (): void => setNews((last) => addNews(last, head, head, Date.now()));
    const timer = setTimeout(forget, Math.max(0, Math.min(...ends) - Date.now()) + 20);
    return () => clearTimeout(timer);
  }, [news]);
  return news?.board === head.board ? news : null;
}

/** Return how many rows a column of the screen has. */
const columnOf = ({ player: { length } }: Rows): number =>
  length <= COLUMN ? COLUMN : Math.max(COLUMN, Math.ceil(Math.min(length, PAGE) / 2));

interface BandProps {
  readonly head: Head;
  readonly rows: Rows;
  readonly shape: Shape | null;
  readonly news: News | null;
}

/** Who leads, and for a moment who took the lead from whom: always the rows that are shown below. */
function Band({ head, rows, shape, news }: BandProps) {
  const [first, second] = rows.player.slice(0, 2).map((_, index) => rowAt(rows, index));
  if (!first) return <p class="band">{say("Nobody is on this board yet.")}</p>;
  const from = news?.lead?.to === first.id && !first.tied ? findRow(rows, news.lead.from) : undefined;
  const rival = from ?? second;
  const gap = shape && rival && !first.tied ? leadOf(shape, first, rival) : null;
  const [since, name] = [findLead(head)?.at ?? null, <Name {...first} />];
  return (
    <p class={from || head.final?.is_shown ? "band on" : "band"}>
      <Face {...first} />
      {first.tied && second && <Face {...second} />}
      <span class="clip">
        {from
          ? mix("{name} takes the lead from {other}", { name, other: <Name {...from} /> })
          : first.tied
            ? say("{count} lead together", { count: rows.rank.filter((rank) => rank === 1).length })
            : head.final?.is_shown
              ? mix("{name} wins", { name })
              : since === null
                ? mix("{name} leads", { name })
                : mix("{name} leads since {time}", { name, time: formatSince(since) })}
      </span>
      {from && <Face {...from} />}
      <strong>
        {gap !== null &&
          shape &&
          (from
            ? formatGap(shape, first.scores[shape.metric.id], rival?.scores[shape.metric.id])
            : mix("{distance} ahead of {name}", {
                distance: formatWithUnit(gap, shape.metric),
                name: <bdi>{rival?.name}</bdi>,
              }))}
      </strong>
    </p>
  );
}

const Name = ({ name, label }: Pick<Row, "name" | "label">) => (
  <b class="clip">
    <bdi>{name}</bdi>
    {label !== null && <bdi> · {label}</bdi>}
  </b>
);

/** Return by how much a row is better than another one; null if it is not, by what is ranked first. */
function leadOf({ metric }: Shape, row: Row, other: Row): number | null {
  const [value, less] = [row.scores[metric.id], other.scores[metric.id]];
  if (value == null || less == null) return null;
  const gap = distanceOf(metric, value, less);
  return (metric.direction === "higher" ? gap > 0 : gap < 0) ? Math.abs(gap) : null;
}

/** The rows of a screen, which fill it. */
function Hall({ head, rows, shape, news, screen }: BandProps & { readonly screen: readonly Row[] }) {
  const area = useRef<HTMLOListElement>(null);
  useMoves(area, String(head.sequence), `${head.board} ${screen[0]?.rank}`);
  const metric = head.metrics.find(({ primary }) => primary) ?? head.metrics[0];
  const isLarge = rows.player.length <= COLUMN;
  return (
    <ol class={isLarge ? "hall large" : "hall"} ref={area} style={{ "--rows": columnOf(rows) }}>
      {screen.map((row) => {
        const value = metric && row.scores[metric.id];
        const won = news?.moved.get(row.id)?.won ?? 0;
        const place = shape && placeOf(shape, value);
        return (
          <li key={row.id} data-row={row.id} class={won > 0 ? "up" : undefined} style={{ "--at": place ?? 0 }}>
            <span class="rank">
              {hasMedal(head, row) ? <Medal rank={row.rank} tied={row.tied} /> : formatRank(row.rank, row.tied)}
            </span>
            <Face {...row} />
            <Name {...row} />
            <Moved won={won} />
            <span class="fine">{explainRank(head, screen, row)}</span>
            <strong>{metric && formatScore(value, metric)}</strong>
            {isLarge && <span class="fine gap">{shape && formatGap(shape, value)}</span>}
          </li>
        );
      })}
    </ol>
  );
}

/** Keep the screen on while the page is in sight, where the browser can. */
function useAwake(): void {
  useEffect(() => {
    const controller = new AbortController();
    const hold = async (): Promise<void> => {
      const lock = document.hidden ? null : await navigator.wakeLock?.request("screen").catch(() => null);
      controller.signal.addEventListener("abort", () => void lock?.release());
      if (controller.signal.aborted) void lock?.release();
    };
    void hold();
    document.addEventListener("visibilitychange", hold, controller);
    return () => controller.abort();
  }, []);
}
