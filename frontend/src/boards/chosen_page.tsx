/** `/b/{b}?players=a,b,c`: some rows of a board side by side, as a class or friends share them by an address. */

import { useRef } from "preact/hooks";

import { nextPause } from "../../../sdk/beat.js";
import { fetchJson } from "../api/client.ts";
import type { Head, Metric, Problem, RowsView } from "../api/generated/types.ts";
import { parseBoard } from "../api/view.ts";
import { say } from "../languages/say.ts";
import { FormErrors } from "../ui/forms/fields.tsx";
import { useTitle } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { Face } from "../ui/icons.tsx";
import { Hero } from "../ui/facts.tsx";
import { explainProblem } from "../ui/lib/checks.ts";
import { formatRank, formatScore } from "../ui/lib/format.ts";
import { chosenPath } from "../ui/lib/paths.ts";
import { playerPath, type PageProps } from "../ui/lib/route.ts";
import { PlayerTags } from "../ui/player_name.tsx";
import { NoIndex, StaleBanner, Unavailable } from "../ui/states.tsx";
import { numbers, Table } from "../ui/table_head.tsx";
import { CopyButton } from "../ui/tabs.tsx";
import { BoardTabs } from "./beside/board_tabs.tsx";
import { fetchBoard } from "./requests/boards.ts";
import { describeRanking } from "./rows/ranks.ts";
import { rowId } from "./rows/row.ts";
import { useBoards } from "./use_boards.ts";
import { useFollow } from "./use_follow.ts";

/** The rows are asked for when the board moved, but no more often: the API may read a page for each. */
const CHOSEN_SECONDS = 10;

export function ChosenPage({ benchmark, search }: PageProps) {
  const board = parseBoard(search);
  const players = new URLSearchParams(search).get("players") ?? "";
  const heads = usePolled(
    `${benchmark} ${board}`,
    (signal) => fetchBoard(benchmark, board, signal),
    (latest, unchanged) => nextPause(unchanged, latest.beat),
  );
  // While another board is loading, the one before stays.
  const last = useRef<{ readonly head: Head | null; readonly chosen: RowsView | Problem | null }>(null);
  const head =
    heads.value ?? (heads.phase === "loading" && last.current?.head?.id === benchmark ? last.current.head : null);
  const { boards } = useBoards(benchmark, head !== null);
  const polled = usePolled<RowsView | Problem>(head && `${head.id} ${head.board} ${players}`, async (signal) => {
    const ids = players.split(",").map((id) => id.trim());
    const named = new Set(ids.map((id) => id.split("/", 1)[0]));
    const query = new URLSearchParams({ players: [...named].join(","), board: head?.board ?? board });
    const fetched = await fetchJson<RowsView>(`/api/benchmarks/${benchmark}/rows?${query}`, { signal });
    if (fetched.kind !== "ok") return fetched.kind === "rejected" ? { kind: "ok", value: fetched.problem } : fetched;
    const rows = fetched.value.rows.filter(
      ({ player, label }) => ids.includes(player) || ids.includes(rowId(player, label)),
    );
    return { kind: "ok", value: { ...fetched.value, rows } };
  });
  useFollow(head && `${head.version} ${head.sequence}`, polled.retry, CHOSEN_SECONDS);
  const chosen = polled.value ?? last.current?.chosen;
  useTitle(head && chosen ? `${say("Some players")} · ${head.title}` : "");
  last.current = { head, chosen: chosen ?? null };
  if (!head || !chosen) {
    return <Unavailable {...(head ? polled : heads)} missing={say("There is no such board.")} board={benchmark} />;
  }
  return (
    <>
      <NoIndex />
      <StaleBanner stale={polled.phase === "failed"} retry={polled.retry} />
      <Hero board={head}>
        <h1>{say("Some players")}</h1>
        <p class="labels">
          <CopyButton label={say("this address")} text={location.href} />
        </p>
      </Hero>
      <section aria-label={say("Rows of some players")}>
        <BoardTabs
          benchmark={head.id}
          boards={boards}
          current={head.window?.window ?? head.board}
          pathOf={(id, board) => chosenPath(id, players, board)}
        />
        {!("rows" in chosen) ? (
          <FormErrors errors={explainProblem(chosen)} />
        ) : chosen.rows.length === 0 ? (
          <p>{say("None of these players is on this board yet.")}</p>
        ) : (
          <ChosenTable head={head} rows={chosen.rows} />
        )}
        <p class="rule">{describeRanking(head)}</p>
      </section>
    </>
  );
}

const ChosenTable = ({ head, rows }: { readonly head: Head; readonly rows: RowsView["rows"] }) => (
  <Table
    class="board"
    label={say("Rows of some players")}
    columns={[say("Rank"), say("Player"), ...head.metrics.map(({ label }) => numbers(label))]}
    name={1}
    rows={rows.map((row) => [
      formatRank(row.rank, row.tied),
      <>
        <Face {...row} />
        <a href={playerPath(head.id, row.player, head.board)}>
          <bdi>{row.name}</bdi>
          {row.label && [" · ", <bdi>{row.label}</bdi>]}
        </a>{" "}
        <PlayerTags {...row} />
      </>,
      ...head.metrics.map((metric) => {
        const text = formatScore(row.scores[metric.id], metric);
        return row.scores[metric.id] === findBest(rows, metric) ? <strong>{text}</strong> : text;
      }),
    ])}
  />
);

/** Return the best value of several; of one row none is. */
function findBest(rows: RowsView["rows"], { id, direction }: Metric): number | null {
  const values = rows.flatMap(({ scores }) => scores[id] ?? []);
  return values.length < 2 ? null : direction === "higher" ? Math.max(...values) : Math.min(...values);
}
