/** `/b/{b}`: a board of a benchmark, and its charts. */

import type { ComponentChild, ComponentType } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import type { ShownBoard } from "../api/boards.ts";
import { folderOf } from "../api/client.ts";
import type { Head } from "../api/generated/types.ts";
import { BoardHero } from "../components/board/hero.tsx";
import { BoardTable, MAX_BESIDE } from "../components/board/table.tsx";
import { Toolbar } from "../components/board/toolbar.tsx";
import { lazy } from "../components/lazy.tsx";
import { MarkLegend } from "../components/marks.tsx";
import { StaleBanner, Unavailable } from "../components/states.tsx";
import { useBoard, type Board } from "../hooks/board.ts";
import { useBoards, type Listed } from "../hooks/boards.ts";
import { useTitle } from "../hooks/browser.ts";
import { changeView } from "../hooks/navigation.ts";
import { useSelection } from "../hooks/selection.ts";
import { isLarge, limitView } from "../large/limits.ts";
import { usePicks } from "../large/remote.ts";
import { say } from "../languages/say.ts";
import { formatTime } from "../lib/format.ts";
import { isPlayer, wallPath } from "../lib/route.ts";
import { shapeOf } from "../lib/board/shape.ts";
import {
  allMetrics,
  baselineIds,
  isPlain,
  medalSharers,
  needsAllRows,
  partMetrics,
  titleOf,
} from "../lib/board/table.ts";
import { formatView, MAIN, parseBoard, parseView, sortBy, togglePick, type View } from "../lib/board/view.ts";

// These are below the table or seldom needed, so they are loaded after it, in one file.
type Extras = typeof import("../components/board/extras.ts");
const extra = <Props extends object>(choose: (extras: Extras) => ComponentType<Props>, placeholder: string) =>
  lazy(async () => choose(await import("../components/board/extras.ts")), placeholder);
const About = extra((extras) => extras.About, "prose-space");
const Side = extra((extras) => extras.Side, "side");
const BoardTabs = extra((extras) => extras.BoardTabs, "choices-space");
const ComparisonBar = extra((extras) => extras.ComparisonBar, "comparison-bar");
const CorrectionList = extra((extras) => extras.CorrectionList, "prose-space");
const ArchivedBanner = extra((extras) => extras.ArchivedBanner, "banner-space");
const FreshBanner = extra((extras) => extras.FreshBanner, "banner-space");
const StalledBanner = extra((extras) => extras.StalledBanner, "banner-space");
const WindowBar = extra((extras) => extras.WindowBar, "window-bar");
const OwnPlace = extra((extras) => extras.OwnPlace, "own-space");
const EmptyBoard = extra((extras) => extras.EmptyBoard, "notice");
const NoMatch = extra((extras) => extras.NoMatch, "notice");
const Charts = extra((extras) => extras.Charts, "charts-space");

/** Beyond so many rows, newer results wait until the visitor asks for them: they would move the rows. */
const OFFER_FROM = 50;

interface Props {
  readonly benchmark: string;
  readonly search: string;
}

export function BoardPage({ benchmark, search }: Props) {
  const [wantsAll, setWantsAll] = useState(false);
  const id = parseBoard(search);
  const needsAll = (head: Head): boolean =>
    !isLarge(head) && (wantsAll || needsAllRows(head, parseView(search, allMetrics(head))));
  const { from } = parseView(search, []);
  const board = useBoard(benchmark, id, needsAll, from > OFFER_FROM);
  const { shown } = board;
  const window = shown?.head.window;
  const isOther = shown?.head.board !== id && window?.window !== id;
  const listed = useBoards(benchmark, shown !== null);
  useEffect(() => setWantsAll(false), [id]);
  useTitle(shown ? titleOf(shown.head) : "");
  if (
    shown === null ||
    (isOther ? !["loading", "ok"].includes(board.phase) : ["missing", "failed"].includes(board.phase))
  ) {
    const missing =
      id === MAIN
        ? say("There is no board “{benchmark}”.", { benchmark })
        : say("There is no board “{board}” of “{benchmark}”.", { board: id, benchmark });
    return <Unavailable {...board} missing={missing} />;
  }
  return (
    <ShownPage
      board={board}
      shown={shown}
      search={isOther ? "" : search}
      listed={listed}
      tabs={
        listed.boards.length > 1 ? (
          <BoardTabs benchmark={benchmark} boards={listed.boards} current={isOther ? id : (window?.window ?? id)} />
        ) : (
          id !== MAIN && <div class="choices-space" />
        )
      }
      showAll={() => setWantsAll(true)}
    />
  );
}

interface ShownProps {
  readonly board: Board;
  readonly shown: ShownBoard;
  readonly search: string;
  readonly listed: Listed;
  readonly tabs: ComponentChild;
  readonly showAll: () => void;
}

function ShownPage({ board, shown, search, listed, tabs, showAll }: ShownProps) {
  const { head, rows, complete } = shown;
  const isRemote = isLarge(head) && !complete;
  const metrics = allMetrics(head);
  const parsed = parseView(search, metrics);
  const view = isRemote ? limitView(parsed) : parsed;
  const columns = [
    ...head.metrics
      .filter((metric) => view.columns?.includes(metric.id) ?? true)
      // What decides the rank is beside the name, so that a phone shows it too.
      .sort((a, b) => Number(b.primary) - Number(a.primary)),
    ...(view.parts ? partMetrics(head) : []),
  ];
  const shape = useMemo(() => shapeOf(head, rows), [shown]);
  const [comparing, setComparing] = useState(false);
  const compares = comparing || view.picks.length > 0;
  const selection = useSelection(shown, view, showAll);
  const picked = usePicks(shown, view.picks);
  const me = useMemo(() => findMe(head.id), [head.id]);
  const onView = (next: View, step: "push" | "replace"): void => changeView(formatView(next, metrics), step);
  const unfiltered: View = { ...view, query: "", kind: "all", sort: "rank", direction: "asc", from: 1 };
  const moveTo = (index: number): void => {
    onView({ ...unfiltered, from: Math.min(index, head.total - 1) + 1 }, "push");
    const row = document.querySelector(`.board:not(.long) [aria-rowindex="${index + 2}"]`);
    (row ?? document.querySelector(".board.long"))?.scrollIntoView({ block: row ? "center" : "nearest" });
  };
  const [answer, setAnswer] = useState("");
  const showMe = async (player: string): Promise<void> => {
    const module = await import("../api/rows.ts");
    const { text, index } = await module.findPlace(shown, player);
    setAnswer(text);
    if (index !== null) moveTo(index);
  };
  const saveCsv = async (): Promise<void> => {
    const module = await import("../api/csv.ts");
    setAnswer(isRemote ? say("Loading all rows …") : "");
    await module.saveCsv(shown, view, columns);
    setAnswer("");
  };
  // A part of the page could not be loaded.
  const fail = (): void => setAnswer(say("The server did not answer. Try again."));
  // A sort does not change what surrounds the table.
  const charts = useMemo(
    () => <Charts shown={shown} picked={picked} showAll={isRemote ? null : showAll} />,
    [shown, picked],
  );
  const about = useMemo(() => <About head={head} banned={listed.banned} />, [head, listed.banned]);
  const sharers = useMemo(() => medalSharers(rows), [rows]);
  const baselines = baselineIds(head);
  const waiting = board.waiting || selection.phase === "loading";
  const { count } = selection;

  return (
    <>
      <StaleBanner
        stale={board.phase === "stale" || selection.phase === "stale"}
        since={formatTime(Date.parse(head.generated_at))}
        retry={board.retry}
      />
      {listed.archived && <ArchivedBanner mark={listed.archived} />}
      {head.stalled_since && <StalledBanner since={head.stalled_since} />}
      <BoardHero head={head} isArchived={listed.archived !== null} />
      <p class="unseen" role="status">
        {board.announcement}
      </p>
      <section aria-label={say("Board")}>
        {tabs}
        {head.window && <WindowBar head={head} window={head.window} />}
        <a class="skip" href="#charts">
          {say("Skip the board")}
        </a>
        <Toolbar
          view={view}
          metrics={head.metrics}
          parts={head.parts?.names.length ? head.parts.noun : null}
          count={count}
          total={head.total}
          isLabelled={head.row_kind === "label"}
          waiting={waiting}
          filters={!isRemote && !head.has_kinds}
          jsonUrl={`${folderOf(head.id, head.board, head.version)}head.json`}
          wallUrl={wallPath(head.id, head.board)}
          onView={onView}
          compares={compares}
          onCompare={() => {
            setComparing(!compares);
            if (view.picks.length > 0) onView({ ...view, picks: [] }, "replace");
          }}
          onRank={isPlain(view) && count > OFFER_FROM ? (rank) => moveTo(rank - 1) : null}
          onCsv={() => void saveCsv().catch(fail)}
        />
        <p role="status" class="answer fine">
          {answer || board.delay}
        </p>
        {board.hasNewer && <FreshBanner onShow={board.showNewer} />}
        <div class={`board-and-side ${columns.length > MAX_BESIDE ? "below" : ""} ${me === null ? "" : "known"}`}>
          {me !== null && head.total > 0 && (
            <OwnPlace
              key={`${head.board} ${me}`}
              shown={shown}
              player={me}
              onShow={() => void showMe(me).catch(fail)}
            />
          )}
          <div>
            {head.total === 0 ? (
              <EmptyBoard head={head} isArchived={listed.archived !== null} />
            ) : count === 0 && !waiting ? (
              <NoMatch
                isRemote={isRemote}
                onShow={() => onView({ ...view, query: "", kind: "all", from: 1 }, "push")}
              />
            ) : (
              <div class={waiting ? "waiting" : undefined} aria-busy={waiting}>
                <BoardTable
                  key={head.board}
                  benchmark={head.id}
                  board={head.board}
                  title={titleOf(head)}
                  selection={selection}
                  sequence={head.sequence}
                  metrics={columns}
                  shape={shape}
                  compares={compares}
                  parts={head.parts}
                  view={view}
                  changed={board.changed}
                  baselines={baselines}
                  sharers={sharers}
                  me={me}
                  onScrolled={(from) => {
                    onView({ ...view, from }, "replace");
                  }}
                  onSort={isRemote ? null : (key) => onView(sortBy(view, key, metrics), "push")}
                  onPick={(row) => onView(togglePick(view, row.id), "replace")}
                />
              </div>
            )}
            <MarkLegend head={head} rows={rows} />
          </div>
          <Side shown={shown} shape={shape} isRemote={isRemote} />
          <div class="after">
            {head.corrected_at && (
              <div id="corrections">
                <CorrectionList head={head} />
              </div>
            )}
            {head.total > 0 && <div id="charts">{charts}</div>}
            {about}
          </div>
        </div>
      </section>
      {picked.length > 0 && (
        <ComparisonBar
          head={head}
          picked={picked}
          onRemove={(row) => onView(togglePick(view, row), "replace")}
          onClear={() => onView({ ...view, picks: [] }, "replace")}
        />
      )}
    </>
  );
}

/** Return the player whose result this browser has submitted last, as `receipts.findPlayer` does. */
function findMe(benchmark: string): string | null {
  try {
    const stored = localStorage.getItem(`player:${benchmark}`);
    return stored !== null && isPlayer(stored) ? stored : null;
  } catch {
    return null;
  }
}
