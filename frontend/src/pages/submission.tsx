/** `/b/{b}/s/{id}`: one submission's outcome; it updates until the outcome is final. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { nextPause, OWN_SECONDS } from "../../../sdk/beat.js";
import { fetchHead } from "../api/client.ts";
import type { Head, PersonalBest, SubmissionView, WithdrawalView } from "../api/generated/types.ts";
import type { BoardPlace } from "../api/rows.ts";
import { fetchSubmission, submissionUrl } from "../api/views.ts";
import { Button } from "../components/controls.tsx";
import { breakableText, Fact } from "../components/facts.tsx";
import { Hero } from "../components/layout.tsx";
import { describeNextRank, formatAmount, Rivals, Strip } from "../components/player/places.tsx";
import { ShareButton } from "../components/player/share.tsx";
import { PlayerTags } from "../components/player_name.tsx";
import { ScoreCells, ScoreList, type ScoreMetric } from "../components/scores.tsx";
import { Bars, StaleBanner, Unavailable } from "../components/states.tsx";
import { CredentialForm } from "../components/submission/credential_form.tsx";
import { Detail } from "../components/submission/detail.tsx";
import { UndoButton, WithdrawButton } from "../components/submission/withdrawal.tsx";
import { TableHead } from "../components/table_head.tsx";
import { ScrollArea } from "../components/tables.tsx";
import { CopyButton, Snippet } from "../components/tabs.tsx";
import { RelativeTime } from "../components/values.tsx";
import { useNow, useTitle } from "../hooks/browser.ts";
import { forgetResult } from "../hooks/draft.ts";
import { useFollow } from "../hooks/follow.ts";
import { usePlaces } from "../hooks/places.ts";
import { usePolled } from "../hooks/polling.ts";
import { expected, playerKeys, receipts } from "../hooks/receipts.ts";
import { useToken } from "../hooks/token.ts";
import { mix, say } from "../languages/say.ts";
import { findRow, titleOf } from "../lib/board/table.ts";
import { MAIN, parseBoard } from "../lib/board/view.ts";
import { checkCredential, checkToken, explainProblem, isReceipt } from "../lib/checks.ts";
import { formatTime, formatWithUnit } from "../lib/format.ts";
import { guestMark, NAMELESS } from "../lib/board/guests.ts";
import { countUnknownLabels, formatOutput, MEANINGS } from "../lib/outcome.ts";
import { submissionPath } from "../lib/board/paths.ts";
import { formatPlayer, isRankDue, spellRank } from "../lib/ranks.ts";
import { boardPath, playerPath, submitPath } from "../lib/route.ts";

interface Props {
  readonly benchmark: string;
  readonly submission: string;
  readonly search: string;
}

/** So often the page asks the API at most for each move of the board. */
const STATUS_SECONDS = 4;
const UNDO_MILLISECONDS = 60 * 60_000;
/** So long after the scores the page asks for the rank, which comes once the board shows the result. */
const RANK_MILLISECONDS = 60_000;

export function SubmissionPage({ benchmark, submission, search }: Props) {
  const at = parseBoard(search);
  const [receipt, setReceipt] = useState(() => receipts.find(submission));
  const [token, keepToken] = useToken();
  const [error, setError] = useState<string | null>(null);
  const [key] = useState(playerKeys.find);
  const credential = receipt ?? (checkToken(token) === null ? token : key);
  const open = (text: string): void => {
    setError(null);
    if (isReceipt(text)) receipts.keep(submission, text);
    else keepToken(text);
    setReceipt(isReceipt(text) ? text : null);
  };
  const since = useRef(Date.now());
  const scoredAt = useRef<number | null>(null);
  const awaitsRank = (latest: SubmissionView): boolean => {
    if (!isRankDue(latest, since.current)) return false;
    scoredAt.current ??= Date.now();
    return Date.now() - scoredAt.current < RANK_MILLISECONDS;
  };
  const { value, phase, retry } = usePolled(
    `${submission} ${credential}`,
    async (signal) => {
      const fetched = await fetchSubmission(benchmark, submission, credential, signal);
      if (fetched.kind !== "rejected" || credential === null) return fetched;
      // The page shows what everybody may see, and why it shows no more.
      setError(explainProblem(fetched.problem).join(" "));
      setReceipt(null);
      keepToken("");
      return fetchSubmission(benchmark, submission, null, signal);
    },
    (latest, unchanged) => (latest.status === "done" && !awaitsRank(latest) ? null : nextPause(unchanged)),
  );
  // While it waits, the page asks the API less and less, but watches the head, which costs a third and moves when the
  // result is there.
  const isWaiting = value?.status !== "done";
  const board = usePolled(
    benchmark,
    (signal) => fetchHead(benchmark, signal),
    () => (isWaiting ? OWN_SECONDS : null),
  );
  const head = board.value;
  useFollow(isWaiting && head ? `${head.version} ${head.sequence}` : null, retry, STATUS_SECONDS);
  const wasWaiting = useRef(false);
  useEffect(() => {
    if (value === null) return;
    // Boards in other tabs may have stopped looking for a result that took long.
    if (wasWaiting.current && !isWaiting && receipt !== null) expected.keep(benchmark, submission);
    wasWaiting.current = isWaiting;
  }, [value === null, isWaiting]);
  useEffect(() => {
    // The head was fetched before the board knew the result.
    if (value?.rank != null && scoredAt.current !== null) board.retry();
  }, [value?.rank]);
  useEffect(() => {
    // What failed, or has no name, is submitted again; this one need not be.
    if (receipt !== null && value?.outcome === "scored" && value.player !== NAMELESS) forgetResult(benchmark);
  }, [value?.outcome]);
  useEffect(() => {
    if (value !== null && receipt !== null) receipts.keepPlayer(benchmark, value.player);
  }, [value?.player, receipt]);
  const isShown = value?.outcome === "scored" && value.player !== NAMELESS && value.rank != null;
  const { value: places, isLoading: isPlacing } = usePlaces(
    benchmark,
    head,
    value?.player,
    isShown && head ? `${submission} ${head.sequence} ${value.rank}` : null,
  );
  const metrics = board.phase === "loading" || !value ? null : metricsFor(value, head);
  const result = value && describeResult(value, metrics ?? []);
  const name = value && `${value.name}${guestMark(value.name, value.verified)}`;
  useTitle(head && value ? `${name}: ${result} · ${head.title}` : "");
  // The first draw has the places, which would move what stands below them; a page that waits is drawn at once.
  const isComplete = !isShown || (board.phase !== "loading" && !isPlacing);
  const isDrawn = useRef(false);
  isDrawn.current ||= value !== null && isComplete;
  if (value === null || !isDrawn.current)
    return (
      <Unavailable phase={phase} retry={retry} missing={say("This submission does not exist.")} board={benchmark} />
    );
  const wrong =
    receipt === null
      ? say("This token is neither of its player nor of an owner.")
      : say("That receipt belongs to another submission.");
  const form = (
    <CredentialForm
      label={say(
        "The receipt of this submission, or a token of its player or of an owner, opens its details and messages.",
      )}
      placeholder="receipt_… or laurel_…"
      check={checkCredential}
      error={error ?? (credential === null || credential === key ? null : wrong)}
      onCredential={open}
    />
  );
  // What is left of a quota is only for the player; owners see all that is open.
  const isMine = value.quota_left != null;
  const isOwn = isMine || (credential !== null && credential !== key && !hidesDetails(value));
  const target = isOwn && credential !== null ? { url: submissionUrl(benchmark, submission), credential } : null;
  return (
    <>
      <StaleBanner stale={phase === "stale"} retry={retry} />
      <Hero board={head ?? { id: benchmark, title: benchmark }} at={at}>
        <div class="headline">
          <div>
            <h1 class="name">
              {/* The name is isolated, so that its writing direction stays its own. */}
              {value.player === NAMELESS ? (
                <bdi>{value.name}</bdi>
              ) : (
                <a href={playerPath(benchmark, value.player, at)}>
                  <bdi>{value.name}</bdi>
                </a>
              )}
              : {result}
            </h1>
            <p class="labels">
              <PlayerTags kind={value.kind} verified={value.verified} />
              {value.label && <bdi class="pill plain">{value.label}</bdi>}
              <span class="fine">
                <RelativeTime at={value.submitted_at} />
              </span>
            </p>
          </div>
          {value.outcome === "scored" && !value.in_review && (
            <ShareButton text={`${name}: ${result} · ${head ? titleOf(head) : benchmark}`} />
          )}
        </div>
      </Hero>
      {value.withdrawn && (
        <WithdrawalBanner withdrawal={value.withdrawn}>
          {target && ((receipt === null && credential !== key) || value.withdrawn.by === "player") ? (
            <UndoButton {...target} onChange={retry} />
          ) : null}
        </WithdrawalBanner>
      )}
      {value.in_review && !value.withdrawn && (
        <div class="banner">
          <p>
            <strong>{say("In review: waits for the owner’s look.")}</strong>{" "}
            {say("The owner looks at results like this one before they count.")}{" "}
            {say("Until it is accepted, it is on no board, and only its player and the owner see its scores.")}
          </p>
        </div>
      )}
      <Progress value={value} />
      {value.outcome === "scored" && (
        <Scored
          value={value}
          at={at}
          form={form}
          metrics={metrics}
          places={places ?? []}
          tied={isTied(value, head)}
          follows={isRankDue(value, since.current) ? (awaitsRank(value) ? "soon" : "later") : null}
        />
      )}
      {value.outcome != null && value.outcome !== "scored" && <Failed value={value} at={at} form={form} />}
      <Facts value={value} receipt={receipt} isKept={isMine && key !== null && value.player.startsWith("guest--")}>
        {target && !value.withdrawn && (
          <p class="labels">
            <WithdrawButton {...target} onChange={retry} />
          </p>
        )}
      </Facts>
    </>
  );
}

/** Return what came of a submission, in a few words: its score if it has one. */
function describeResult({ outcome, scores }: SubmissionView, metrics: readonly ScoreMetric[]): string {
  if (outcome == null) return say("waiting to be scored");
  const primary = metrics.find((metric) => metric.primary) ?? metrics[0];
  if (outcome !== "scored" || !primary) return MEANINGS[outcome].label;
  return formatAmount(scores?.[primary.id], primary);
}

const ROLES: Readonly<Record<WithdrawalView["by"], string>> = {
  player: say("its player"),
  owner: say("the benchmark’s owner"),
  admin: say("the site’s administrator"),
  operator: say("the site’s administrator"),
};

interface BannerProps {
  readonly withdrawal: WithdrawalView;
  /** What undoes it; shown for an hour. */
  readonly children: ComponentChildren;
}

function WithdrawalBanner({ withdrawal, children }: BannerProps) {
  const isUndoable = useNow() < Date.parse(withdrawal.at) + UNDO_MILLISECONDS && children !== null;
  return (
    <div class="banner">
      <p>
        <strong>{say("Withdrawn")}</strong> <RelativeTime at={withdrawal.at} />{" "}
        {say("by {role}: {reason}", { role: ROLES[withdrawal.by], reason: withdrawal.reason })}
        <br />
        {say("It does not count on any board any more, but stays on record.")}{" "}
        {isUndoable && say("You can undo this within an hour.")}
      </p>
      {isUndoable && children}
    </div>
  );
}

/** That it waits, or why it does not count, announced to screen readers. */
function Progress({ value }: { readonly value: SubmissionView }) {
  const meaning = value.outcome == null ? null : MEANINGS[value.outcome];
  const isBoth = meaning === null || value.outcome !== "scored" || value.in_review;
  return (
    <section aria-label={say("Progress")}>
      {isBoth && (
        <ol class="steps">
          <li class="done">{say("Received")}</li>
          <li class={meaning ? `done ${meaning.tone}` : "active"}>
            {meaning ? meaning.label : say("Waiting to be scored")}
          </li>
        </ol>
      )}
      <div role="status">
        {meaning === null ? (
          <p>{say("The result is stored. It is usually scored within seconds; this page updates itself.")}</p>
        ) : (
          isBoth && (
            <p>
              <strong>{meaning.label}.</strong>{" "}
              {value.in_review ? say("The scores do not count.") : meaning.explanation}
            </p>
          )
        )}
      </div>
    </section>
  );
}

/** Return whether what only its player and owners may see is missing. */
function hidesDetails({ outcome, message, detail, detail_url, parts }: SubmissionView): boolean {
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

function Scored({ value, at, metrics, places, tied, follows, form }: ScoredProps) {
  const { detail, detail_url, rank, players, parts = [], personal_best } = value;
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
        <section class="stack" aria-labelledby="scores-title">
          <h2 id="scores-title">{say("Scores")}</h2>
          <div role="status">
            {follows !== null && (
              <p>
                {say("The board does not show this result yet.")}{" "}
                {follows === "soon"
                  ? say("The rank follows in a moment.")
                  : say("Reload this page later to see the rank.")}
              </p>
            )}
            {rank != null && players != null && (
              <p class="standing">
                {say("{player} is {rank} of {players} now.", {
                  player: formatPlayer(value.name, value.verified),
                  rank: spellRank(rank, tied),
                  players,
                })}
                {others.map(({ board, title, row, head }) => (
                  <span key={board}>
                    {" "}
                    <a href={boardPath(value.benchmark, board)}>{title}</a>:{" "}
                    {say("{rank} of {players}.", { rank: spellRank(row.rank, row.tied), players: head.total })}
                  </span>
                ))}
              </p>
            )}
          </div>
          {personal_best && primary && (
            <p>{describeBest(personal_best, primary, part && (stage?.title ?? part), stage && !isCounting)}</p>
          )}
          {stage && <Counting value={value} place={stage} at={at} />}
          {stage && primary && (
            <Strip
              head={stage.head}
              value={value.scores?.[primary.id]}
              counting={isCounting ? null : stage.row.scores[primary.id]}
            />
          )}
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
        </section>
        <div class="side">{stage && <Rivals place={stage} title={places.length > 1 && stage.title} />}</div>
      </div>
      {metrics && parts && parts.length > 1 && (
        <section aria-labelledby="parts-title">
          <h2 id="parts-title">{say("Parts")}</h2>
          <ScrollArea class="board narrow" label={say("Scores of the parts")}>
            <table>
              <TableHead labels={[say("Part")]} metrics={metrics} />
              <tbody>
                {parts.map((each) => (
                  <tr key={each.part}>
                    <th scope="row">{each.part}</th>
                    <ScoreCells metrics={metrics} scores={each.scores} />
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollArea>
        </section>
      )}
      {(hidesDetails(value) || detail_url != null || Object.keys(detail ?? {}).length > 0) && (
        <section aria-labelledby="detail-title">
          <h2 id="detail-title">{say("Detail")}</h2>
          {hidesDetails(value) ? (
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
        </section>
      )}
    </>
  );
}

interface CountingProps extends Omit<OpenedProps, "form"> {
  /** On the board of what was scored. */
  readonly place: BoardPlace;
}

/** Whether the row rests on this submission, and what would move it up a rank. */
function Counting({ value, place, at }: CountingProps) {
  const { row } = place;
  const isOwn = row.submission === value.submission;
  const next = describeNextRank(place);
  return (
    <p>
      {isOwn ? (
        <span class="pill good">{say("Counts")}</span>
      ) : (
        <>
          {mix("{link} counts now.", {
            link: <a href={submissionPath(value.benchmark, row.submission, at)}>{say("Another submission")}</a>,
          })}
        </>
      )}{" "}
      {next}
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

function Failed({ value, at, form }: OpenedProps) {
  const { outcome, message, output } = value;
  if (outcome == null) return null;
  const printed = output ? formatOutput(message, output.stdout, output.stderr) : "";
  return (
    <section aria-labelledby="next-title">
      <h2 id="next-title">{say("What to do next")}</h2>
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
    </section>
  );
}

interface FactsProps {
  readonly value: SubmissionView;
  readonly receipt: string | null;
  /** Whether this browser's player key opens it too. */
  readonly isKept: boolean;
  /** What its player may do with it. */
  readonly children: ComponentChildren;
}

/** Its receipt and what its player may do, and folded what nobody looks for first. */
const Facts = ({ value, receipt, isKept, children }: FactsProps) => (
  <section aria-label={say("About this submission")}>
    {receipt !== null && (
      <div class="receipt">
        <p>
          {say("The receipt opens the details and messages of this submission.")}{" "}
          {isKept
            ? say("Your player key does too, which this browser keeps.")
            : say("Only this tab has it: copy it to read them elsewhere.")}
        </p>
        <p class="receipt-line">
          <code>{receipt}</code> <CopyButton label={say("the receipt")} text={receipt} />
        </p>
      </div>
    )}
    {children}
    <details class="help">
      <summary>{say("Id and signature")}</summary>
      <dl class="pairs">
        <Fact label={say("Id")}>
          <code>{value.submission}</code>
        </Fact>
        <Fact label={say("Submitted")}>{formatTime(Date.parse(value.submitted_at))}</Fact>
        {value.signature && (
          <Fact label={say("Signature")}>
            <code>{breakableText(value.signature, "|")}</code>
            {value.outcome === "scored" && (
              <p class="fine">{say("How the score was made, so that anybody can reproduce it.")}</p>
            )}
          </Fact>
        )}
      </dl>
    </details>
  </section>
);

/** Return the board's metrics; without a board, metrics named as the scores are. */
function metricsFor(value: SubmissionView, head: Head | null): readonly ScoreMetric[] {
  if (head) return head.metrics;
  const shared = { unit: null, decimals: null, direction: "higher", primary: false } as const;
  return Object.keys(value.scores ?? {}).map((id) => ({ id, label: id, ...shared }));
}

const isTied = (value: SubmissionView, head: Head | null): boolean => {
  const row = head ? findRow(head.rows, value.player) : undefined;
  return row !== undefined && row.rank === value.rank && row.tied;
};
