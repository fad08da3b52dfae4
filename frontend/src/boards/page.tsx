/** `/b/{b}`: a board of a benchmark, and its charts. */

import type { ComponentChild, ComponentType } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import type { Head, Metric } from "../api/generated/types.ts";
import { formatView, MAIN, parseBoard, parseView, sortBy, type View } from "../api/view.ts";
import { say } from "../languages/say.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { changeView } from "../ui/hooks/navigation.ts";
import { lazy } from "../ui/lazy.tsx";
import { formatTime } from "../ui/lib/format.ts";
import { isPlayer, type PageProps } from "../ui/lib/route.ts";
import { StaleBanner, Unavailable } from "../ui/states.tsx";
import { BoardHero } from "./hero.tsx";
import { Podium } from "./podium.tsx";
import type { ShownBoard } from "./requests/boards.ts";
import {
  allMetrics,
  isLarge,
  limitView,
  needsAllRows,
  partMetrics,
  titleOf,
  type FindMove,
  type Row,
} from "./rows/row.ts";
import { shapeOf, type Shape } from "./rows/shape.ts";
import { MarkLegend } from "./table/marks.tsx";
import { BoardTable } from "./table/board_table.tsx";
import { Toolbar } from "./table/toolbar.tsx";
import { useSelection, type Selection } from "./table/use_selection.ts";
import { useBoard, type Board } from "./use_board.ts";
import { useBoards, type Listed } from "./use_boards.ts";

// These are below the table or seldom needed, so they are loaded after it, in one file.
type Extras = typeof import("./extras.ts");
const extra = <Props extends object>(choose: (extras: Extras) => ComponentType<Props>, placeholder: string) =>
  lazy(async () => choose(await import("./extras.ts")), placeholder);
const After = extra((extras) => extras.After, "charts-space");
const BoardTabs = extra((extras) => extras.BoardTabs, "choices-space");
const ComparisonBar = extra((extras) => extras.ComparisonBar, "comparison-bar");
const ArchivedBanner = extra((extras) => extras.ArchivedBanner, "banner-space");
const FreshBanner = extra((extras) => extras.FreshBanner, "banner-space");
const StalledBanner = extra((extras) => extras.StalledBanner, "banner-space");
const WindowBar = extra((extras) => extras.WindowBar, "window-bar");
const OwnPlace = extra((extras) => extras.OwnPlace, "own-space");
const NoRows = extra((extras) => extras.NoRows, "notice");

/** In a board of more rows, a line above it says where the visitor stands: the own row may be out of sight. */
const OWN_FROM = 25;

/** Beyond so many rows, newer results wait until the visitor asks for them: they would move the rows. */
const OFFER_FROM = 50;

export function BoardPage({ benchmark, search }: PageProps) {
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
    const named = id === MAIN ? benchmark : `${benchmark}/${id}`;
    return <Unavailable {...board} missing={say("There is no board “{benchmark}”.", { benchmark: named })} />;
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
  const columns = listColumns(head, view);
  // What is picked for a comparison; null until the visitor wants one.
  const [picks, setPicks] = useState<readonly Row[] | null>(null);
  useEffect(() => setPicks(null), [head.board]);
  const selection = useSelection(shown, view, showAll);
  const me = useMemo(() => findMe(head.id), [head.id]);
  const shape = useMemo(() => shapeOf(head, rows), [shown]);
  const move = useMovement(head);
  const onView = (next: View, step: "push" | "replace"): void => changeView(formatView(next, metrics), step);
  const [answer, onAnswer] = useState("");
  const waiting = board.waiting || selection.phase === "loading";
  // A sort does not change it.
  const after = useMemo(() => <After {...{ shown, isRemote }} banned={listed.banned} />, [shown, listed.banned]);
  return (
    <>
      <StaleBanner
        stale={board.phase === "stale" || selection.phase === "stale"}
        since={formatTime(Date.parse(head.generated_at))}
        retry={board.retry}
      />
      {listed.archived && <ArchivedBanner mark={listed.archived} />}
      {head.stalled_since && <StalledBanner since={head.stalled_since} />}
      <BoardHero head={head} listed={listed} />
      <p class="unseen" role="status">
        {board.announcement}
      </p>
      <section aria-label={say("Board")}>
        <Podium {...{ head, shape, move }} />
        <a class="skip" href="#charts">
          {say("Skip the board")}
        </a>
        <Toolbar
          {...{ shown, view, waiting, tabs, onView, onAnswer }}
          count={selection.count}
          filters={!isRemote && !head.ranking.has_kinds}
          compares={picks !== null}
          onCompare={() => setPicks(picks === null ? [] : null)}
        />
        {head.window && <WindowBar head={head} window={head.window} />}
        <p role="status" class="answer fine">
          {answer}
        </p>
        {board.hasNewer && <FreshBanner onShow={board.showNewer} />}
        {me && head.total > OWN_FROM && (
          <OwnPlace key={`${head.board} ${me}`} {...{ shown, view, move, onView, onAnswer }} player={me} />
        )}
        <Ranking
          {...{ shown, view, selection, columns, shape, picks, me, move, waiting, onView }}
          onPick={(row) => setPicks(togglePick(picks ?? [], row))}
          changed={board.changed}
          isArchived={!!listed.archived}
        />
        <MarkLegend head={head} rows={rows} />
        {after}
      </section>
      {picks && picks.length > 0 && <ComparisonBar head={head} picks={picks} onClear={() => setPicks([])} />}
    </>
  );
}

/** Return the picked rows with another one, or without it. */
const togglePick = (picks: readonly Row[], row: Row): readonly Row[] =>
  picks.some(({ id }) => id === row.id) ? picks.filter(({ id }) => id !== row.id) : [...picks, row];

/** What a page was served with is old: until then it has shown nothing. */
const SERVED_MILLISECONDS = 1500;

/** Return what finds how the rows of a board have moved; null until it is loaded. */
function useMovement(head: Head): FindMove | null {
  const board = `${head.id} ${head.board}`;
  const [found, setFound] = useState<{ readonly board: string; readonly find: FindMove } | null>(null);
  useEffect(() => {
    const load = () =>
      import("./extras.ts").then(async ({ findMoves }) => setFound({ board, find: await findMoves(head) }));
    const timer = setTimeout(() => void load().catch(() => {}), found ? 0 : SERVED_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [head]);
  return found?.board === board ? found.find : null;
}

/** Return the columns that a view shows. What decides the rank is beside the name, so that a phone shows it too. */
const listColumns = (head: Head, view: View): readonly Metric[] => [
  ...head.metrics
    .filter((metric) => view.columns?.includes(metric.id) ?? true)
    .sort((a, b) => Number(b.primary) - Number(a.primary)),
  ...(view.parts ? partMetrics(head) : []),
];

interface RankingProps {
  readonly shown: ShownBoard;
  readonly view: View;
  readonly selection: Selection;
  readonly columns: readonly Metric[];
  readonly shape: Shape | null;
  readonly picks: readonly Row[] | null;
  readonly me: string | null;
  readonly waiting: boolean;
  readonly changed: ReadonlySet<string>;
  readonly move: FindMove | null;
  readonly isArchived: boolean;
  readonly onView: (view: View, step: "push" | "replace") => void;
  readonly onPick: (row: Row) => void;
}

/** The table, or what is in its place. */
function Ranking({ shown: { head, complete }, view, selection, columns, waiting, onView, ...props }: RankingProps) {
  const isRemote = isLarge(head) && !complete;
  if (head.total === 0 || (selection.count === 0 && !waiting)) {
    const showAll = (): void => onView({ ...view, query: "", kind: "all", from: 1 }, "push");
    return <NoRows head={head} isArchived={props.isArchived} isRemote={isRemote} onShow={showAll} />;
  }
  return (
    <div class={waiting ? "waiting" : undefined} aria-busy={waiting}>
      <BoardTable
        key={head.board}
        {...{ head, view, selection, metrics: columns }}
        {...props}
        onScrolled={(from) => onView({ ...view, from }, "replace")}
        onSort={isRemote ? null : (key) => onView(sortBy(view, key, allMetrics(head)), "push")}
      />
    </div>
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
