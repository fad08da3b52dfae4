/** `/b/{b}/p/{player}`: one player's rank, scores and history. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { nextPause } from "../../../sdk/beat.js";
import { fetchHead } from "../api/client.ts";
import { fetchPlayer } from "../api/views.ts";
import type { Head, HistoryEntry, Metric, PlayerView } from "../api/generated/types.ts";
import { TimeChart } from "../charts/over_time.tsx";
import { Badge } from "../components/board/badge.tsx";
import { Button, SearchField } from "../components/controls.tsx";
import { Fact, OutcomeLabel } from "../components/facts.tsx";
import { Medal } from "../components/icons.tsx";
import { Hero } from "../components/layout.tsx";
import { PlayerTags } from "../components/player_name.tsx";
import { ScoreCells, ScoreList } from "../components/scores.tsx";
import { Skeleton, StaleBanner, Unavailable } from "../components/states.tsx";
import { CredentialForm } from "../components/submission/credential_form.tsx";
import { TableHead, textSort } from "../components/table_head.tsx";
import { ScrollArea } from "../components/tables.tsx";
import { RelativeTime } from "../components/values.tsx";
import { useTitle } from "../hooks/browser.ts";
import { useFollow } from "../hooks/follow.ts";
import { usePolled } from "../hooks/polling.ts";
import { useToken } from "../hooks/token.ts";
import { checkToken, explainProblem } from "../lib/checks.ts";
import { formatCount, formatPlural, formatWithUnit, guestMark } from "../lib/format.ts";
import { percentAhead, spellRank } from "../lib/ranks.ts";
import { MEANINGS } from "../lib/outcome.ts";
import { batchPath, submissionPath } from "../lib/route.ts";
import { widen, type Point } from "../lib/shapes.ts";
import { parseBoard } from "../lib/board/view.ts";
import { deservesMedal, describeMissing, findRow, medalSharers, type Row } from "../lib/board/table.ts";

/** The history is asked for when the board moved, but no more often. */
const HISTORY_SECONDS = 20;
const MIN_SPAN_MILLISECONDS = 60_000;

interface Props {
  readonly benchmark: string;
  readonly player: string;
  readonly search: string;
}

export function PlayerPage({ benchmark, player, search }: Props) {
  const [shared, keepToken] = useToken();
  const [error, setError] = useState<string | null>(null);
  const [isTried, setIsTried] = useState(false);
  const token = checkToken(shared) === null ? shared : null;
  const head = usePolled(
    `head ${benchmark}`,
    (signal) => fetchHead(benchmark, signal),
    (latest, unchanged) => nextPause(unchanged, latest.beat),
  );
  const polled = usePolled(
    `${benchmark} ${player} ${token}`,
    async (signal) => {
      const fetched = await fetchPlayer(benchmark, player, { token }, signal);
      if (fetched.kind !== "rejected" || token === null) return fetched;
      setError(explainProblem(fetched.problem).join(" "));
      keepToken("");
      return fetchPlayer(benchmark, player, {}, signal);
    },
    () => null,
  );
  useFollow(head.value && `${head.value.version} ${head.value.sequence}`, polled.retry, HISTORY_SECONDS);
  // What everybody sees stays while the token is tried.
  const last = useRef<PlayerView | null>(null);
  last.current = polled.value ?? (last.current?.player === player ? last.current : null);
  const row = head.value ? findRow(head.value.rows, player) : undefined;
  const view = last.current ?? (polled.phase === "missing" && row ? viewFromRow(row) : null);
  useTitle(view && head.value ? `${view.name}${guestMark(view.name, view.verified)} · ${head.value.title}` : "");
  if (!head.value || !view) {
    const { phase, retry } = head.value === null ? head : polled;
    const missing =
      head.phase === "missing"
        ? `There is no board “${benchmark}”.`
        : "This player has no scored submission on this board.";
    return (
      <Unavailable phase={phase} retry={retry} missing={missing} board={head.value ? benchmark : undefined}>
        <Skeleton count={8} kind="row" />
      </Unavailable>
    );
  }
  return (
    <>
      <StaleBanner stale={head.phase === "stale" || polled.phase === "stale"} retry={polled.retry} />
      <ShownPlayer
        head={head.value}
        at={parseBoard(search)}
        view={view}
        token={token}
        form={
          <CredentialForm
            label="A token of this player, or of an owner, shows the names of files."
            placeholder="laurel_…"
            check={checkToken}
            error={error ?? (isTried && token && polled.value ? "This token shows no names of files here." : null)}
            onCredential={(text) => {
              setError(null);
              setIsTried(true);
              keepToken(text);
            }}
          />
        }
      />
    </>
  );
}

/** Return what the board's row says about a player, without a history. */
const viewFromRow = (row: Row): PlayerView => ({
  ...row,
  ...{
    banned: null,
    players: null,
    total: null,
    percentile: null,
    scores: {},
    parts: [],
    best: {},
    history: [],
    next: null,
  },
});

interface ShownProps {
  readonly head: Head;
  /** The board from which the visitor came. */
  readonly at: string;
  readonly view: PlayerView;
  /** The visitor's token, if there is one. */
  readonly token: string | null;
  /** Takes a token. */
  readonly form: ComponentChildren;
}

function ShownPlayer({ head, at, view, token, form }: ShownProps) {
  const row = findRow(head.rows, view.player);
  const rank = row?.rank ?? view.rank;
  const players = view.players ?? head.total;
  const ahead = rank === null ? null : percentAhead(rank, players);
  const sharers = rank === null ? undefined : medalSharers(head.rows).get(rank);
  const scores = row?.scores ?? view.scores;
  const primary = head.metrics.find((metric) => metric.primary);
  const done = view.parts.filter((part) => part.scores !== null).length;
  const missing = describeMissing(head.parts, row?.scores ?? (view.parts.length > 0 ? { "#done": done } : {}));
  return (
    <>
      <Hero board={head} at={at}>
        <div class="headline">
          <div>
            <h1 class="name">
              <bdi>{view.name}</bdi>
            </h1>
            <p class="labels">
              <PlayerTags player={view.player} kind={view.kind} verified={view.verified} />
            </p>
          </div>
        </div>
        <dl class="facts">
          <div class="leader">
            <dt>Rank</dt>
            <dd class="rank">
              {rank !== null &&
                rank <= 3 &&
                sharers !== undefined &&
                sharers <= 3 &&
                missing === null &&
                deservesMedal(head.parts, scores, primary) && <Medal rank={rank} tied={sharers > 1} />}
              {rank === null ? "not on the board" : `${spellRank(rank, row?.tied ?? false)} of ${formatCount(players)}`}
            </dd>
          </div>
          {ahead !== null && <Fact label="Ahead of">{ahead} % of the others</Fact>}
          {missing !== null && <Fact label="Done">{missing}</Fact>}
          <Fact label="Scored submissions">{formatCount(view.submissions)}</Fact>
        </dl>
      </Hero>
      {view.banned && (
        <div class="banner">
          <p>
            <strong>Banned</strong> by the benchmark’s owner: {view.banned}
            <br />
            Nothing of this player counts on its boards.
          </p>
        </div>
      )}
      <section aria-labelledby="best-title">
        <h2 id="best-title">On the board</h2>
        <ScoreList metrics={head.metrics} scores={scores} best={view.best} />
        <p class="rule">{head.rank_rule}</p>
      </section>
      {view.parts.length > 0 && <Parts head={head} parts={view.parts} />}
      {view.history.length > 0 && <History key={token} {...{ head, at, view, token, form }} />}
      {rank !== null && <Badge head={head} player={view} />}
    </>
  );
}

/** What counts of each part. */
function Parts({ head, parts }: { readonly head: Head; readonly parts: PlayerView["parts"] }) {
  const noun = head.parts?.noun ?? "parts";
  return (
    <section aria-labelledby="parts-title">
      <h2 id="parts-title">{noun.charAt(0).toUpperCase() + noun.slice(1)}</h2>
      <ScrollArea class="board" labelledBy="parts-title">
        <table>
          <TableHead labels={["Part"]} metrics={head.metrics} />
          <tbody>
            {parts.map(({ part, scores }) => (
              <tr key={part}>
                <th scope="row">{part}</th>
                <ScoreCells metrics={head.metrics} scores={scores} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </section>
  );
}

type TextColumn = readonly [label: string, read: (entry: HistoryEntry) => string];

const TEXTS: readonly TextColumn[] = [
  ["Label", ({ label }) => label ?? ""],
  ["File", ({ entry }) => entry ?? ""],
  ["Part", ({ part }) => part ?? ""],
];
const order = new Intl.Collator("en", { numeric: true }).compare;

/** The history. Its newest page is polled; older pages, and the best ones by a metric, are fetched on demand. */
function History({ head, at, view, token, form }: ShownProps) {
  const [older, setOlder] = useState<readonly HistoryEntry[]>([]);
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const [loading, setLoading] = useState(false);
  const [sort, setSort] = useState<string | null>(null);
  const [query, setQuery] = useState("");
  const best = useBest(head.id, view, sort, token);
  const next = cursor === undefined ? view.next : cursor;
  const newest = new Set(view.history.map((entry) => entry.submission));
  const entries = [...view.history, ...older.filter((entry) => !newest.has(entry.submission))];
  const primary = head.metrics.find((metric) => metric.primary) ?? head.metrics[0];
  const columns = TEXTS.filter(([, read]) => entries.some((entry) => read(entry) !== ""));
  const sorted = columns.find(([label]) => textSort(label) === sort)?.[1];
  const listed = best ?? (sorted ? entries.toSorted((a, b) => order(sorted(a), sorted(b))) : entries);
  const wanted = query.trim().toLowerCase();
  const shown =
    wanted === ""
      ? listed
      : listed.filter((entry) => columns.some(([, read]) => read(entry).toLowerCase().includes(wanted)));
  const loadMore = async (): Promise<void> => {
    setLoading(true);
    const fetched = await fetchPlayer(head.id, view.player, { cursor: next, token }, new AbortController().signal);
    setLoading(false);
    if (fetched.kind !== "ok") return;
    setOlder([...older, ...fetched.value.history]);
    setCursor(fetched.value.next);
  };
  const named = entries.some((entry) => entry.entry != null);
  const metric = head.metrics.find(({ id }) => id === sort);
  return (
    <>
      {primary && <Timeline entries={entries} metric={primary} />}
      <section aria-labelledby="history-title">
        <h2 id="history-title">History</h2>
        <p class="fine" role="status">
          {wanted !== "" && `${formatCount(shown.length)} of `}
          {formatPlural(listed.length, "submission")}
          {best && metric
            ? `, the best by ${metric.label} first.`
            : `${next === null ? "" : " so far"}, ${sorted ? "in order of their names" : "newest first"}.`}
        </p>
        {columns.length > 0 && (
          <div class="toolbar">
            <SearchField
              label="Search the history"
              placeholder="Label, file or part"
              value={query}
              onInput={setQuery}
            />
          </div>
        )}
        <ScrollArea class="board" label="History">
          <table>
            <TableHead
              labels={["When", "Outcome", ...columns.map(([label]) => label)]}
              sortable={columns.map(([label]) => label)}
              metrics={head.metrics}
              sort={sort}
              onSort={setSort}
            />
            <tbody>
              {shown.map((entry) => (
                <tr key={entry.submission}>
                  <td class="when">
                    <a href={submissionPath(head.id, entry.submission, at)}>
                      <RelativeTime at={entry.submitted_at} />
                    </a>
                  </td>
                  <td>
                    <OutcomeLabel {...MEANINGS[entry.outcome]} />{" "}
                    {entry.withdrawn && (
                      <span class="pill" title={entry.withdrawn.reason}>
                        Withdrawn
                      </span>
                    )}
                  </td>
                  {columns.map(([label, read]) => (
                    <td key={label}>
                      <bdi>
                        {label === "File" && entry.batch != null ? (
                          <a href={batchPath(head.id, entry.batch, at)}>{read(entry)}</a>
                        ) : (
                          read(entry)
                        )}
                      </bdi>
                    </td>
                  ))}
                  <ScoreCells metrics={head.metrics} scores={entry.scores} />
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
        {next !== null && best === null && (
          <Button onClick={loadMore} disabled={loading}>
            {loading ? "Loading …" : "Show older submissions"}
          </Button>
        )}
        {view.verified && !named && form}
      </section>
    </>
  );
}

/** Return the best submissions of a player by a metric; null until they are there, or if there is no such metric. */
function useBest(benchmark: string, view: PlayerView, sort: string | null, token: string | null) {
  const [best, setBest] = useState<{ readonly sort: string; readonly entries: readonly HistoryEntry[] } | null>(null);
  useEffect(() => {
    if (sort === null || sort.startsWith("#")) return;
    const controller = new AbortController();
    fetchPlayer(benchmark, view.player, { sort, token }, controller.signal).then(
      (fetched) => fetched.kind === "ok" && setBest({ sort, entries: fetched.value.history }),
      () => undefined,
    );
    return () => controller.abort();
  }, [view, sort, token]);
  return best?.sort === sort ? best.entries : null;
}

function Timeline({ entries, metric }: { readonly entries: readonly HistoryEntry[]; readonly metric: Metric }) {
  const points = entries
    .filter((entry) => !entry.withdrawn)
    .map((entry): Point => [Date.parse(entry.submitted_at), entry.scores?.[metric.id] ?? NaN])
    .filter(([, score]) => !Number.isNaN(score))
    .reverse();
  const [first] = points;
  const last = points.at(-1);
  // What arrived at once, as a batch does, has no course.
  if (!first || !last || last[0] - first[0] < MIN_SPAN_MILLISECONDS) return null;
  const better = metric.direction === "higher" ? Math.max : Math.min;
  const best: Point[] = [];
  for (const [at, score] of points) {
    const before = best.at(-1)?.[1];
    if (before === undefined || better(before, score) !== before) best.push([at, score]);
  }
  return (
    <section class="charts single" aria-label="Chart">
      <TimeChart
        title={`${metric.label} over time`}
        summary={`${formatPlural(points.length, "scored submission")}; the best single one has ${formatWithUnit(best.at(-1)?.[1], metric)}, the latest ${formatWithUnit(last[1], metric)}.`}
        metric={metric}
        times={widen([first[0], last[0]], 0.03)}
        points={points}
        best={best}
      />
    </section>
  );
}
