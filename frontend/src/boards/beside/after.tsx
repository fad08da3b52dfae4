/** Below a board: its corrections and chart, what its columns mean, what was withdrawn, who is banned, and its badge. */

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import type { Head, Metric } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";
import { fetchBans } from "../../api/views.ts";
import { mix, say } from "../../languages/say.ts";
import { Fact, Section } from "../../ui/facts.tsx";
import { usePolled } from "../../ui/hooks/polling.ts";
import { lazy, NEVER } from "../../ui/lazy.tsx";
import { submissionPath } from "../../ui/lib/paths.ts";
import { playerPath } from "../../ui/lib/route.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { TimeAgo } from "../../ui/values.tsx";
import { Badge } from "../badge.tsx";
import type { ShownBoard } from "../requests/boards.ts";
import { describeRanking, namePlayer } from "../rows/ranks.ts";
import { rowAt, type Row } from "../rows/row.ts";
import { CorrectionList } from "./corrections.tsx";

const Prose = lazy(() => import("../../ui/prose.tsx").then((module) => module.Prose), "prose-space", 0);

/** It asks for ten players, so it is loaded where a visitor comes to it. */
const RanksOverTime = lazy(() => import("./ranks_over_time.tsx").then((module) => module.RanksOverTime), "bump", NEVER);

const FIRST = 10;
const MIN_SPAN_MILLISECONDS = 60_000;

interface Props {
  readonly shown: ShownBoard;
  /** How many bans the benchmark has. */
  readonly banned: number;
  /** Whether the board is too long to be loaded in another order. */
  readonly isRemote: boolean;
}

export const After = ({ shown: { head, rows }, banned, isRemote }: Props) => {
  const primary = head.metrics.find((metric) => metric.primary) ?? head.metrics[0];
  const isRace = head.board === MAIN && head.ranking.rows === "player" && head.total > 1;
  // The same ones until rows change: each other list would draw the courses again.
  const players = useMemo(() => rows.player.slice(0, FIRST).map((_, index) => rowAt(rows, index)), [rows]);
  return (
    <div class="after">
      {head.corrected_at && (
        <div id="corrections">
          <CorrectionList head={head} />
        </div>
      )}
      <div id="charts">
        {isRace && primary && hasCourse(head, players, primary) && (
          <Section id="charts" title={say("Charts")}>
            <div class="charts" style={{ "--rows": players.length }}>
              <RanksOverTime head={head} players={players} metric={primary} />
            </div>
          </Section>
        )}
      </div>
      <Section id="scored" title={say("How it is scored")}>
        <p class="rule">
          {describeRanking(head)}
          {isRemote &&
            ` ${say("A board of this size is shown in this order only; its CSV has all rows for another one.")}`}
        </p>
        <ColumnHelp metrics={head.metrics} />
      </Section>
      {head.description !== "" && (
        <Section id="about" class="about" title={say("About this benchmark")}>
          <Prose html={head.description} />
        </Section>
      )}
      {head.notices.length > 0 && <WithdrawalNotices head={head} />}
      {banned > 0 && <Bans key={banned} benchmark={head.id} board={head.board} />}
      {head.sequence > 0 && <Badge head={head} />}
    </div>
  );
};

/** What arrived at once, as a batch does, has no course, nor what no value ranks; then nothing keeps a place for it. */
function hasCourse({ rows, improvements }: Head, players: readonly Row[], { id, direction }: Metric): boolean {
  const times = [...rows.at, ...improvements.steps.map(([at]) => at)];
  const values = players.map(({ scores }) => (scores[id] ?? NaN) * (direction === "higher" ? -1 : 1));
  const isInOrder = values.every((value, index) => value >= (values[index - 1] ?? value));
  return isInOrder && Math.max(...times) - Math.min(...times) >= MIN_SPAN_MILLISECONDS;
}

interface NotesProps {
  readonly id: string;
  readonly title: string;
  /** What each is about, when it was, and why. */
  readonly notes: readonly { readonly about: ComponentChildren; readonly at: string; readonly reason: string }[];
}

const Notes = ({ id, title, notes }: NotesProps) => (
  <Section id={id} title={title}>
    <div class="prose">
      <ul>
        {notes.map(({ about, at, reason }, index) => (
          <li key={index}>
            {about}{" "}
            <span class="fine">
              <TimeAgo at={at} />
            </span>{" "}
            {reason}
          </li>
        ))}
      </ul>
    </div>
  </Section>
);

const WithdrawalNotices = ({ head }: { readonly head: Head }) => (
  <Notes
    id="withdrawn"
    title={say("Withdrawn")}
    notes={head.notices.map(({ submission, name, player, at, reason }) => ({
      about: (
        <a href={submissionPath(head.id, submission, head.board)}>
          <ShortName name={name} verified={namePlayer(head.rows, player).verified} />
        </a>
      ),
      at,
      reason,
    }))}
  />
);

/** The banned players and names, with the reasons. */
function Bans({ benchmark, board }: { readonly benchmark: string; readonly board: string }) {
  const { value } = usePolled(benchmark, (signal) => fetchBans(benchmark, signal));
  const bans = value?.bans ?? [];
  if (bans.length === 0) return null;
  const notes = bans.map(({ player, name, player_name, reason, at }) => ({
    about:
      player === null ? (
        mix("every guest named {name}", { name: <bdi>{name}</bdi> })
      ) : (
        <a href={playerPath(benchmark, player, board)}>
          <bdi>{player_name}</bdi>
        </a>
      ),
    at,
    reason,
  }));
  return <Notes id="banned" title={say("Banned")} notes={notes} />;
}

const ColumnHelp = ({ metrics }: { readonly metrics: readonly Metric[] }) => (
  <details class="help">
    <summary>{say("What the columns mean")}</summary>
    <dl class="pairs">
      {metrics.map((metric) => (
        <Fact key={metric.id} label={metric.label}>
          {metric.help && `${metric.help} `}
          {metric.direction === "higher" ? say("Higher is better.") : say("Lower is better.")}
          {metric.unit && ` ${say("Unit: {unit}.", { unit: metric.unit })}`}
          {metric.primary && ` ${say("Decides the rank first.")}`}
        </Fact>
      ))}
      <Fact label={say("Submissions")}>{say("The number of the player’s scored submissions.")}</Fact>
      <Fact label={say("Last")}>{say("When the last submission that counts arrived.")}</Fact>
    </dl>
  </details>
);
