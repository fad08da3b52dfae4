/** `/b/{b}/p/{player}`: one player: rank, best, history, badge. */

import { useState } from "preact/hooks";

import type { HistoryEntry, PlayerAnswer } from "../api/answers.ts";
import { ScoreHistory } from "../charts/history.tsx";
import { useTitle } from "../hooks/browser.ts";
import { fetchHead, fetchPlayer } from "../api/client.ts";
import { usePolled } from "../hooks/polling.ts";
import { formatCount, formatPlural, formatScore, spellRank } from "../lib/format.ts";
import { meaningOf } from "../lib/outcome.ts";
import { guestMark } from "../lib/players.ts";
import { percentAhead } from "../lib/percentile.ts";
import { boardPath, submissionPath } from "../lib/route.ts";
import type { Point } from "../lib/shapes.ts";
import { findRow, medalSharers, type Row } from "../lib/table.ts";
import { Badge } from "../components/board/badge.tsx";
import { Medal } from "../components/icons.tsx";
import { Moment } from "../components/relative_time.tsx";
import { PlayerTags } from "../components/player_name.tsx";
import { ScoreList } from "../components/submission/score_list.tsx";
import { Bars, StaleBanner, Unavailable } from "../components/states.tsx";
import type { Head, Metric } from "../api/generated/snapshots.ts";

const SECONDS = 20;

interface Props {
  readonly benchmark: string;
  readonly player: string;
}

export function PlayerPage({ benchmark, player }: Props) {
  const head = usePolled(
    `head ${benchmark}`,
    (signal) => fetchHead(benchmark, signal),
    () => SECONDS,
  );
  const asked = usePolled(
    `${benchmark} ${player}`,
    (signal) => fetchPlayer(benchmark, player, null, signal),
    () => SECONDS,
  );
  const row = head.value ? findRow(head.value.rows, player) : undefined;
  const answer = asked.value ?? (asked.phase === "missing" && row ? answerFromRow(row) : null);
  useTitle(answer && head.value ? `${answer.name}${guestMark(answer.name, answer.verified)} · ${head.value.title}` : "");
  if (!head.value || !answer) {
    const failing = [head, asked].find((one) => one.value === null);
    const phase =
      failing?.phase === undefined || failing.phase === "ok" || failing.phase === "stale" ? "loading" : failing.phase;
    const missing =
      head.phase === "missing"
        ? `There is no board “${benchmark}”.`
        : "This board has no such player: nothing of theirs was scored here.";
    return (
      <Unavailable
        phase={phase}
        retry={failing?.retry ?? asked.retry}
        missing={missing}
        board={head.value ? benchmark : undefined}
      >
        <div class="hero" aria-hidden="true">
          <div class="bar title" />
        </div>
        <Bars count={8} kind="row" />
      </Unavailable>
    );
  }
  return (
    <>
      <StaleBanner stale={head.phase === "stale" || asked.phase === "stale"} since="a moment ago" retry={asked.retry} />
      <ShownPlayer head={head.value} answer={answer} />
    </>
  );
}

/** Gives what the board itself knows of a player, where there is no history. */
const answerFromRow = (row: Row): PlayerAnswer => ({
  ...row,
  players: null,
  scores: {},
  best: {},
  history: [],
  next: null,
});

function ShownPlayer({ head, answer }: { readonly head: Head; readonly answer: PlayerAnswer }) {
  const row = findRow(head.rows, answer.player);
  const rank = row?.rank ?? answer.rank;
  const players = answer.players ?? head.total;
  const ahead = rank === null ? null : percentAhead(rank, players);
  const sharers = rank === null ? undefined : medalSharers(head.rows).get(rank);
  return (
    <>
      <div class="hero">
        <p class="crumbs">
          <a href="/">Boards</a> <a href={boardPath(head.id)}>{head.title}</a>
        </p>
        <div class="headline">
          <div>
            <h1 class="name">
              <bdi>{answer.name}</bdi>
            </h1>
            <p class="labels">
              <PlayerTags kind={answer.kind} verified={answer.verified} />
            </p>
          </div>
        </div>
        <dl class="facts">
          <div class="leader">
            <dt>Rank</dt>
            <dd class="rank">
              {rank !== null && rank <= 3 && sharers !== undefined && sharers <= 3 && (
                <Medal rank={rank} tied={sharers > 1} />
              )}
              {rank === null ? "not on the board" : `${spellRank(rank, row?.tied ?? false)} of ${formatCount(players)}`}
            </dd>
          </div>
          {ahead !== null && (
            <div>
              <dt>Ahead of</dt>
              <dd>{ahead} % of the others</dd>
            </div>
          )}
          <div>
            <dt>Scored submissions</dt>
            <dd>{formatCount(answer.submissions)}</dd>
          </div>
        </dl>
      </div>
      <section aria-labelledby="best-title">
        <h2 id="best-title">On the board</h2>
        <ScoreList columns={head.metrics} scores={row?.scores ?? answer.scores} best={answer.best} />
        <p class="rule">{head.rank_rule}</p>
      </section>
      {answer.history.length > 0 && <History head={head} answer={answer} />}
      <Badge benchmark={head.id} title={head.title} />
    </>
  );
}

/** The newest page comes from the polled answer; older ones are asked for. */
function History({ head, answer }: { readonly head: Head; readonly answer: PlayerAnswer }) {
  const [older, setOlder] = useState<readonly HistoryEntry[]>([]);
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const [loading, setLoading] = useState(false);
  const next = cursor === undefined ? answer.next : cursor;
  const newest = new Set(answer.history.map((one) => one.submission));
  const entries = [...answer.history, ...older.filter((one) => !newest.has(one.submission))];
  const primary = head.metrics.find((metric) => metric.primary) ?? head.metrics[0];
  const more = async (): Promise<void> => {
    setLoading(true);
    const fetched = await fetchPlayer(head.id, answer.player, next, new AbortController().signal);
    setLoading(false);
    if (fetched.kind !== "ok") return;
    setOlder([...older, ...fetched.value.history]);
    setCursor(fetched.value.next);
  };
  const parts = entries.some((one) => one.part);
  return (
    <>
      {primary && <Timeline entries={entries} metric={primary} />}
      <section aria-labelledby="history-title">
        <h2 id="history-title">History</h2>
        <p class="fine">
          {formatPlural(entries.length, "submission")}
          {next !== null && " so far"}, newest first.
        </p>
        <div class="scroller board" tabIndex={0} role="group" aria-label="History">
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Outcome</th>
                {parts && <th scope="col">Part</th>}
                {head.metrics.map((metric) => (
                  <th key={metric.id} scope="col" class="number">
                    {metric.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.submission}>
                  <td class="when">
                    <a href={submissionPath(head.id, entry.submission)}>
                      <Moment at={entry.submitted_at} />
                    </a>
                  </td>
                  <td>
                    <span class={`outcome ${meaningOf(entry.outcome).tone}`}>{meaningOf(entry.outcome).label}</span>{" "}
                    {entry.withdrawn && (
                      <span class="pill" title={entry.withdrawn.reason}>
                        Withdrawn
                      </span>
                    )}
                  </td>
                  {parts && <td>{entry.part}</td>}
                  {head.metrics.map((metric) => (
                    <td key={metric.id} class="number">
                      {formatScore(entry.scores?.[metric.id], metric)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {next !== null && (
          <button type="button" class="button" onClick={more} disabled={loading}>
            {loading ? "Loading …" : "Show older ones"}
          </button>
        )}
      </section>
    </>
  );
}

function Timeline({ entries, metric }: { readonly entries: readonly HistoryEntry[]; readonly metric: Metric }) {
  const scores = entries
    .filter((one) => !one.withdrawn)
    .map((one): Point => [Date.parse(one.submitted_at), one.scores?.[metric.id] ?? NaN])
    .filter(([, score]) => !Number.isNaN(score))
    .reverse();
  if (scores.length < 2) return null;
  return (
    <section class="charts single" aria-label="Chart">
      <ScoreHistory scores={scores} metric={metric} />
    </section>
  );
}
