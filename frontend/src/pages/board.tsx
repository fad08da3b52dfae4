/** `/b/{b}`: the board and its charts. */

import { useEffect, useMemo, useState } from "preact/hooks";

import { fetchRows } from "../api/client.ts";
import type { Head } from "../api/generated/types.ts";
import { ComparisonBar } from "../components/board/comparison_bar.tsx";
import { BoardHero } from "../components/board/hero.tsx";
import { ColumnHelp, WithdrawalNotices } from "../components/board/notes.tsx";
import { Pager } from "../components/board/pager.tsx";
import { BoardTable } from "../components/board/table.tsx";
import { Toolbar } from "../components/board/toolbar.tsx";
import { Button } from "../components/controls.tsx";
import { lazy } from "../components/lazy.tsx";
import { Notice, Skeleton, StaleBanner, Unavailable } from "../components/states.tsx";
import { useBoard, type Board, type ShownBoard } from "../hooks/board.ts";
import { saveFile, useTitle } from "../hooks/browser.ts";
import { changeView } from "../hooks/navigation.ts";
import { formatTime } from "../lib/format.ts";
import { submitPath } from "../lib/route.ts";
import { cutPage, findRow, medalSharers, needsAllRows, PAGE_SIZE, rowAt, selectRows } from "../lib/table.ts";
import { formatView, parseView, sortBy, togglePick, type View } from "../lib/view.ts";

// These are below the table, so they are loaded after it.
const Charts = lazy(() => import("../charts/charts.tsx").then((module) => module.Charts), "charts-space");
const Markdown = lazy(() => import("../components/markdown.tsx").then((module) => module.Markdown), "prose-space");

interface Props {
  readonly benchmark: string;
  readonly search: string;
}

export function BoardPage({ benchmark, search }: Props) {
  const [wantsAll, setWantsAll] = useState(false);
  const needsAll = (head: Head): boolean =>
    (wantsAll && head.total > head.rows.player.length) || needsAllRows(head, parseView(search, head.metrics));
  const page = Number(new URLSearchParams(search).get("page")) || 1;
  const board = useBoard(benchmark, needsAll, page > 1);
  useTitle(board.shown?.head.title ?? "");
  const { shown } = board;
  if (shown === null) {
    return (
      <Unavailable phase={board.phase} retry={board.retry} missing={`There is no board “${benchmark}”.`}>
        <Skeleton count={12} kind="row" />
      </Unavailable>
    );
  }
  return <ShownPage board={board} shown={shown} search={search} showAll={() => setWantsAll(true)} />;
}

interface ShownProps {
  readonly board: Board;
  readonly shown: ShownBoard;
  readonly search: string;
  readonly showAll: () => void;
}

function ShownPage({ board, shown, search, showAll }: ShownProps) {
  const { head, rows, complete } = shown;
  const view = parseView(search, head.metrics);
  const columns =
    view.columns === null ? head.metrics : head.metrics.filter((metric) => view.columns?.includes(metric.id));
  // Picks and pages do not change the order, so they do not sort ten thousand rows again.
  const selected = useMemo(
    () => selectRows(rows, view, head.metrics),
    [rows, view.sort, view.direction, view.query, view.kind, head],
  );
  const { current, pages, indices } = cutPage(selected, view.page);
  const onView = (next: View, step: "push" | "replace"): void => changeView(formatView(next, head.metrics), step);
  const isUnfiltered = view.kind === "all" && view.query.trim() === "";
  const picked = useMemo(
    () => view.picks.map((player) => findRow(rows, player)).filter((row) => row !== undefined),
    [rows, view.picks.join()],
  );
  // A sort or another page does not change what surrounds the table.
  const charts = useMemo(() => <Charts shown={shown} picked={picked} showAll={showAll} />, [shown, picked]);
  const about = useMemo(() => <About head={head} />, [head]);
  const sharers = useMemo(() => medalSharers(rows), [rows]);
  const isPartial = !complete && !board.waiting && isUnfiltered;

  const saveCsv = async (): Promise<void> => {
    const fetched = isPartial ? await fetchRows(head.rows_url, new AbortController().signal) : null;
    const all = fetched?.kind === "ok" ? fetched.value.rows : rows;
    const { formatCsv } = await import("../lib/csv.ts");
    saveFile(
      `${head.id}.csv`,
      "text/csv;charset=utf-8",
      formatCsv(all, isPartial ? selectRows(all, view, head.metrics) : selected, columns),
    );
  };

  useEffect(() => {
    if (current < view.page && !board.waiting && complete) onView({ ...view, page: current }, "replace");
  });

  return (
    <>
      <StaleBanner
        stale={board.phase === "stale"}
        since={formatTime(Date.parse(head.generated_at))}
        retry={board.retry}
      />
      <BoardHero head={head} first={head.rows.player.length > 0 ? rowAt(head.rows, 0) : null} />
      <p class="unseen" role="status">
        {board.announcement}
      </p>
      <section aria-label="Board">
        <Toolbar
          view={view}
          metrics={head.metrics}
          count={isPartial ? head.total : selected.length}
          total={head.total}
          waiting={board.waiting}
          jsonUrl={head.rows_url}
          onView={onView}
          onCsv={saveCsv}
        />
        {board.held && (
          <div class="banner fresh" role="status">
            <p>There are new results.</p>
            <Button small primary onClick={board.showHeld}>Show new results</Button>
          </div>
        )}
        {head.total === 0 ? (
          <Notice title="Nobody is on this board yet" heading="h2">
            <p>The first scored result takes the lead.</p>
            <Button primary href={submitPath(head.id)}>Be the first</Button>
          </Notice>
        ) : selected.length === 0 && !board.waiting ? (
          <Notice title="No player matches your search" heading="h2">
            <p>Change the search or the filter to see other players.</p>
            <Button onClick={() => onView({ ...view, query: "", kind: "all", page: 1 }, "push")}>
              Show all players
            </Button>
          </Notice>
        ) : (
          <div class={board.waiting ? "waiting" : undefined} aria-busy={board.waiting}>
            <BoardTable
              benchmark={head.id}
              title={head.title}
              rows={indices.map((index) => rowAt(rows, index))}
              metrics={columns}
              view={view}
              changed={board.changed}
              sharers={sharers}
              onSort={(key) => onView(sortBy(view, key, head.metrics), "push")}
              onPick={(player) => onView(togglePick(view, player), "replace")}
            />
          </div>
        )}
        <Pager
          current={isPartial ? view.page : current}
          pages={isPartial ? Math.ceil(head.total / PAGE_SIZE) : pages}
          urlOf={(page) => location.pathname + formatView({ ...view, page }, head.metrics)}
          onPage={(page) => {
            onView({ ...view, page }, "push");
            document.querySelector(".toolbar")?.scrollIntoView({ block: "start" });
          }}
        />
        <p class="rule">{head.rank_rule}</p>
        <ColumnHelp metrics={head.metrics} />
      </section>
      {head.total > 0 && <div id="charts">{charts}</div>}
      {about}
      {picked.length > 0 && (
        <ComparisonBar
          picked={picked}
          onRemove={(player) => onView(togglePick(view, player), "replace")}
          onClear={() => onView({ ...view, picks: [] }, "replace")}
        />
      )}
    </>
  );
}

const About = ({ head }: { readonly head: Head }) => (
  <>
    {head.description !== "" && (
      <section class="about" aria-labelledby="about-title">
        <h2 id="about-title">About this benchmark</h2>
        <Markdown text={head.description} />
      </section>
    )}
    {head.removed.length > 0 && <WithdrawalNotices head={head} />}
  </>
);
