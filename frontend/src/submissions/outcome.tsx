/** What came of a submission: its scores, rank and details, or why it has none and what to do. */

import type { ComponentChildren } from "preact";

import type { PersonalBest, SubmissionView } from "../api/generated/types.ts";
import { MAIN } from "../api/view.ts";
import { describeNextRank, formatAmount, Rivals } from "../boards/places.tsx";
import type { BoardPlace } from "../boards/requests/rows.ts";
import { formatPlayer, spellRank } from "../boards/rows/ranks.ts";
import { mix, say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { Section } from "../ui/facts.tsx";
import { formatWithUnit } from "../ui/lib/format.ts";
import { NAMELESS } from "../ui/lib/guests.ts";
import { submissionPath } from "../ui/lib/paths.ts";
import { boardPath, submitPath } from "../ui/lib/route.ts";
import { ScoreList, type ScoreMetric } from "../ui/scores.tsx";
import { Bars } from "../ui/states.tsx";
import { formatScores, numbers, Table } from "../ui/table_head.tsx";
import { Snippet } from "../ui/tabs.tsx";
import { Detail } from "./detail.tsx";
import { countUnknownLabels, formatOutput, MEANINGS } from "./outcomes.ts";

/** Return whether what only its player and owners may see is missing. */
export function hidesDetails({ outcome, message, detail, detail_url, parts }: SubmissionView): boolean {
  if (outcome === "invalid") return message == null;
  // With several parts, each part has its own detail, which this page does not show.
  return outcome === "scored" && detail == null && detail_url == null && (parts?.length ?? 0) < 2;
}

/** Props of the sections that a receipt or token opens. */
interface OpenedProps {
  readonly value: SubmissionView;
  /** The board from which the visitor came. */
  readonly at: string;
  /** Takes the receipt or token. */
  readonly form: ComponentChildren;
}

interface ScoredProps extends OpenedProps {
  /** Null while they are loading. */
  readonly metrics: readonly ScoreMetric[] | null;
  /** The player's places; empty until they are known. */
  readonly places: readonly BoardPlace[];
  readonly tied: boolean;
  /** When the rank follows, if the board does not show the result yet. */
  readonly follows: "soon" | "later" | null;
}

export function Scored({ value, at, metrics, places, tied, follows, form }: ScoredProps) {
  const { detail, parts, personal_best } = value;
  const unknown = countUnknownLabels(parts?.length ? parts.map((each) => each.detail) : [detail]);
  const primary = metrics?.find((metric) => metric.primary);
  // The score of one part has its place on that part's board.
  const part = parts?.length === 1 ? parts[0]?.part : null;
  const stage = places.find(({ board }) => board === (part ?? MAIN));
  const isCounting = stage?.row.submission === value.submission;
  const others = places.filter(
    (place) => place.board !== MAIN && (place === stage || place.row.submission === value.submission),
  );
  return (
    <>
      <div class="board-and-side profile">
        <Section id="scores" class="stack" title={say("Scores")}>
          <Standing value={value} others={others} tied={tied} follows={follows} />
          {personal_best && primary && (
            <p>{describeBest(personal_best, primary, part && (stage?.title ?? part), stage && !isCounting)}</p>
          )}
          {stage && <Counting value={value} place={stage} at={at} />}
          {metrics ? (
            <ScoreList metrics={metrics} scores={value.scores ?? {}} />
          ) : (
            <div aria-busy="true">
              <Bars count={2} kind="row" />
            </div>
          )}
          {unknown > 0 && (
            <p class="fine">
              {say(
                "{count} row has a label that the ground truth lacks: check how it is spelled.|{count} rows have labels that the ground truth lacks: check how they are spelled.",
                { count: unknown },
              )}
            </p>
          )}
          {value.player === NAMELESS && !value.in_review && <Nameless value={value} at={at} />}
          <p class="labels">
            <Button primary href={boardPath(value.benchmark, at)}>
              {say("See the board")}
            </Button>
            <Button href={submitPath(value.benchmark, at)}>{say("Hand in another")}</Button>
          </p>
        </Section>
        <div class="side">{stage && <Rivals place={stage} title={places.length > 1 && stage.title} />}</div>
      </div>
      {metrics && parts && parts.length > 1 && (
        <Section id="parts" title={say("Parts")}>
          <Table
            class="board narrow"
            label={say("Scores of the parts")}
            columns={[say("Part"), ...metrics.map(({ label }) => numbers(label))]}
            rows={parts.map((each) => [each.part, ...formatScores(metrics, each.scores)])}
          />
        </Section>
      )}
      <Details value={value} form={form} />
    </>
  );
}

/** The rank of the player now, announced to screen readers; or that it follows. */
const Standing = ({
  value: { benchmark, name, verified, rank, players },
  others,
  tied,
  follows,
}: Pick<ScoredProps, "value" | "tied" | "follows"> & { readonly others: readonly BoardPlace[] }) => (
  <div role="status">
    {follows !== null && (
      <p>
        {say("The board does not show this result yet.")}{" "}
        {follows === "soon" ? say("The rank follows in a moment.") : say("Reload this page later to see the rank.")}
      </p>
    )}
    {rank != null && players != null && (
      <p class="standing">
        {say("{player} is {rank} of {players} now.", {
          player: formatPlayer(name, verified),
          rank: spellRank(rank, tied),
          players,
        })}
        {others.map(({ board, title, row, head }) => (
          <span key={board}>
            {" "}
            <a href={boardPath(benchmark, board)}>{title}</a>:{" "}
            {say("{rank} of {players}.", { rank: spellRank(row.rank, row.tied), players: head.total })}
          </span>
        ))}
      </p>
    )}
  </div>
);

/** What explains the scores, for those who may see it. */
function Details({ value, form }: Pick<OpenedProps, "value" | "form">) {
  const { detail, detail_url } = value;
  const isHidden = hidesDetails(value);
  if (!isHidden && detail_url == null && Object.keys(detail ?? {}).length === 0) return null;
  return (
    <Section id="detail" title={say("Detail")}>
      {isHidden ? (
        <>
          <p>{say("The details are only shown to its player and to owners.")}</p>
          {form}
        </>
      ) : detail_url == null ? (
        <Detail detail={detail ?? {}} />
      ) : (
        <p>
          {mix("{link}, which are too long for this page.", {
            link: <a href={detail_url}>{say("Download the details")}</a>,
          })}
        </p>
      )}
    </Section>
  );
}

interface CountingProps extends Omit<OpenedProps, "form"> {
  /** On the board of what was scored. */
  readonly place: BoardPlace;
}

/** Whether the row rests on this submission, and what would move it up a rank. */
function Counting({ value, place, at }: CountingProps) {
  const { row } = place;
  return (
    <p>
      {row.submission === value.submission ? (
        <span class="pill good">{say("Counts")}</span>
      ) : (
        mix("{link} counts now.", {
          link: <a href={submissionPath(value.benchmark, row.submission, at)}>{say("Another submission")}</a>,
        })
      )}{" "}
      {describeNextRank(place)}
    </p>
  );
}

/** Return one sentence about a personal best and the one before; `isOver` if another submission counts now. */
function describeBest(
  { scores, before, is_new }: PersonalBest,
  metric: ScoreMetric,
  part?: string | null,
  isOver?: boolean,
): string {
  const value = formatAmount(scores[metric.id], metric);
  const now = part == null ? value : say("{value} in part {part}", { value, part });
  if (!is_new) return say("The personal best is still {now}.", { now });
  if (isOver) return say("It was a personal best then: {now}.", { now });
  if (!before) return say("A new personal best: {now}.", { now });
  return say("A new personal best: {now}, after {before}.", { now, before: formatWithUnit(before[metric.id], metric) });
}

/** Why a scored result has no row, and which rank it would have. */
const Nameless = ({ value: { benchmark, would_rank, players }, at }: Omit<OpenedProps, "form">) => (
  <div class="banner">
    <p>
      <strong>{say("Not on the board: give a name.")}</strong>{" "}
      {say("Results without a name are scored and counted, but have no row.")}
      {would_rank != null && players != null && (
        <>
          {" "}
          {say("This score would be {rank} of {count} player now.|This score would be {rank} of {count} players now.", {
            rank: spellRank(would_rank, false),
            count: players + 1,
          })}
        </>
      )}
    </p>
    <Button small href={submitPath(benchmark, at)}>
      {say("Hand in with a name")}
    </Button>
  </div>
);

export function Failed({ value, at, form }: OpenedProps) {
  const { outcome, message, output } = value;
  if (outcome == null) return null;
  const printed = output ? formatOutput(message, output.stdout, output.stderr) : "";
  return (
    <Section id="next" title={say("What to do next")}>
      {message != null && outcome === "invalid" && (
        <div class="message">
          <p>{message}</p>
          {value.pointer && <p class="fine">{mix("at {pointer}", { pointer: <code>{value.pointer}</code> })}</p>}
        </div>
      )}
      <p>{MEANINGS[outcome].next}</p>
      {hidesDetails(value) && form}
      {printed !== "" && <Snippet label={say("Output of the evaluation")} text={printed} />}
      <p class="labels">
        <Button primary href={submitPath(value.benchmark, at)}>
          {say("Hand in again")}
        </Button>
        <Button href={boardPath(value.benchmark, at)}>{say("See the board")}</Button>
      </p>
    </Section>
  );
}
