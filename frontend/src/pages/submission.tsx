/** `/b/{b}/s/{id}`: one submission's outcome; it updates until the outcome is final. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { nextPause, OWN_SECONDS } from "../../../sdk/beat.js";
import { fetchHead } from "../api/client.ts";
import { fetchSubmission, submissionUrl } from "../api/views.ts";
import type { Head, PersonalBest, SubmissionView, WithdrawalView } from "../api/generated/types.ts";
import { Button } from "../components/controls.tsx";
import { breakableText, Fact } from "../components/facts.tsx";
import { Hero } from "../components/layout.tsx";
import { PlayerTags, ShortName } from "../components/player_name.tsx";
import { ScoreCells, ScoreList, type ScoreMetric } from "../components/scores.tsx";
import { Bars, Skeleton, StaleBanner, Unavailable } from "../components/states.tsx";
import { CredentialForm } from "../components/submission/credential_form.tsx";
import { Detail } from "../components/submission/detail.tsx";
import { PrivateTry } from "../components/submission/private_try.tsx";
import { UndoButton, WithdrawButton } from "../components/submission/withdrawal.tsx";
import { TableHead } from "../components/table_head.tsx";
import { ScrollArea } from "../components/tables.tsx";
import { CopyButton, Snippet } from "../components/tabs.tsx";
import { RelativeTime } from "../components/values.tsx";
import { useNow, useTitle } from "../hooks/browser.ts";
import { forgetResult } from "../hooks/draft.ts";
import { useFollow } from "../hooks/follow.ts";
import { usePolled } from "../hooks/polling.ts";
import { expected, receipts } from "../hooks/receipts.ts";
import { useToken } from "../hooks/token.ts";
import { checkCredential, checkToken, explainProblem, isReceipt } from "../lib/checks.ts";
import { formatCount, formatPlural, formatTime, formatWithUnit, NAMELESS } from "../lib/format.ts";
import { isRankDue, spellRank } from "../lib/ranks.ts";
import { formatOutput, MEANINGS } from "../lib/outcome.ts";
import { boardPath, playerPath, submitPath } from "../lib/route.ts";
import { findRow } from "../lib/board/table.ts";
import { parseBoard } from "../lib/board/view.ts";

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
  const credential = receipt ?? (checkToken(token) === null ? token : null);
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
  useTitle(head ? `Submission · ${head.title}` : "");
  if (value === null) {
    return (
      <Unavailable phase={phase} retry={retry} missing="This submission does not exist." board={benchmark}>
        <Skeleton count={6} kind="line" />
      </Unavailable>
    );
  }
  const wrong =
    receipt === null
      ? "This token is neither of its player nor of an owner."
      : "That receipt belongs to another submission.";
  const form = (
    <CredentialForm
      label="The receipt of this submission, or a token of its player or of an owner, opens its details and messages."
      placeholder="receipt_… or laurel_…"
      check={checkCredential}
      error={error ?? (credential === null ? null : wrong)}
      onCredential={open}
    />
  );
  const isOwn = credential !== null && !isClosed(value);
  const target = isOwn ? { url: submissionUrl(benchmark, submission), credential } : null;
  return (
    <>
      <StaleBanner stale={phase === "stale"} retry={retry} />
      <Hero board={head ?? { id: benchmark, title: benchmark }} at={at}>
        <h1>Submission</h1>
        <p class="lead">
          by{" "}
          <span class="player">
            {/* The name is isolated, so that its writing direction stays its own. */}
            {value.player === NAMELESS ? (
              <bdi>{value.name}</bdi>
            ) : (
              <a href={playerPath(benchmark, value.player, at)}>
                <bdi>{value.name}</bdi>
              </a>
            )}
            <PlayerTags player={value.player} kind={value.kind} verified={value.verified} />
          </span>{" "}
          <span class="fine">
            <RelativeTime at={value.submitted_at} />
          </span>
          {value.label && (
            <>
              {" "}
              as <bdi>{value.label}</bdi>
            </>
          )}
        </p>
      </Hero>
      {value.withdrawn && (
        <WithdrawalBanner withdrawal={value.withdrawn}>
          {target && (receipt === null || value.withdrawn.by === "player") ? (
            <UndoButton {...target} onChange={retry} />
          ) : null}
        </WithdrawalBanner>
      )}
      {value.private && !value.withdrawn && <PrivateTry value={value} target={target} onChange={retry} />}
      {value.in_review && !value.withdrawn && (
        <div class="banner">
          <p>
            <strong>In review: waits for the owner’s look.</strong> The owner looks at results like this one before they
            count. Until it is accepted, it is on no board, and only its player and the owner see its scores.
          </p>
        </div>
      )}
      <Progress value={value} />
      {value.outcome === "scored" && (
        <Scored
          value={value}
          at={at}
          form={form}
          metrics={board.phase === "loading" ? null : metricsFor(value, head)}
          tied={isTied(value, head)}
          follows={isRankDue(value, since.current) ? (awaitsRank(value) ? "soon" : "later") : null}
        />
      )}
      {value.outcome != null && value.outcome !== "scored" && <Failed value={value} at={at} form={form} />}
      {receipt !== null && <Receipt receipt={receipt} />}
      <Facts value={value} />
      {target && !value.withdrawn && (
        <section aria-labelledby="withdraw-title">
          <h2 id="withdraw-title">Withdraw</h2>
          <p class="labels">
            <WithdrawButton {...target} onChange={retry} />
          </p>
        </section>
      )}
    </>
  );
}

const ROLES: Readonly<Record<WithdrawalView["by"], string>> = {
  player: "its player",
  owner: "the benchmark’s owner",
  admin: "the site’s administrator",
  operator: "the site’s administrator",
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
        <strong>Withdrawn</strong> <RelativeTime at={withdrawal.at} /> by {ROLES[withdrawal.by]}: {withdrawal.reason}
        <br />
        It does not count on any board any more, but stays on record.
        {isUndoable && " You can undo this within an hour."}
      </p>
      {isUndoable && children}
    </div>
  );
}

/** The steps from received to the outcome, announced to screen readers. */
function Progress({ value }: { readonly value: SubmissionView }) {
  const meaning = value.outcome == null ? null : MEANINGS[value.outcome];
  return (
    <section aria-label="Progress">
      <ol class="steps">
        <li class="done">Received</li>
        <li class={meaning ? "done" : "active"}>{meaning ? "Judged" : "Waiting to be scored"}</li>
        <li class={meaning ? `done ${meaning.tone}` : ""}>{meaning ? meaning.label : "Outcome"}</li>
      </ol>
      <div role="status">
        {meaning ? (
          <p>
            <strong>{meaning.label}.</strong>{" "}
            {value.in_review || value.private ? "The scores do not count." : meaning.explanation}
          </p>
        ) : (
          <p>The result is stored. It is usually scored within seconds; this page updates itself.</p>
        )}
      </div>
    </section>
  );
}

/** Return whether what only its player and owners may see is missing. */
function isClosed({ outcome, message, detail, detail_url, parts }: SubmissionView): boolean {
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
  readonly tied: boolean;
  /** When the rank follows, if the board does not show the result yet. */
  readonly follows: "soon" | "later" | null;
}

function Scored({ value, at, metrics, tied, follows, form }: ScoredProps) {
  const { detail, detail_url, rank, players, parts, part_rank, personal_best } = value;
  const primary = metrics?.find((metric) => metric.primary);
  return (
    <>
      <section aria-labelledby="scores-title">
        <h2 id="scores-title">Scores</h2>
        {metrics ? (
          <ScoreList metrics={metrics} scores={value.scores ?? {}} />
        ) : (
          <div aria-busy="true">
            <Bars count={2} kind="row" />
          </div>
        )}
        <div role="status">
          {follows !== null && (
            <p>
              The board does not show this result yet.{" "}
              {follows === "soon" ? "The rank follows in a moment." : "Reload this page later to see the rank."}
            </p>
          )}
          {rank != null && players != null && (
            <p>
              <a href={playerPath(value.benchmark, value.player, at)}>
                <ShortName name={value.name} verified={value.verified} />
              </a>{" "}
              is {spellRank(rank, tied)} of {formatCount(players)} now
              {part_rank && (
                <>
                  , {spellRank(part_rank.rank, false)} of {formatCount(part_rank.players)} on{" "}
                  <a href={boardPath(value.benchmark, part_rank.board)}>the board {part_rank.board}</a>
                </>
              )}
              .
            </p>
          )}
        </div>
        {personal_best && primary && <p>{describeBest(personal_best, primary)}</p>}
        {value.player === NAMELESS && !value.in_review && !value.private && <Nameless value={value} at={at} />}
        <p class="labels">
          <Button primary href={boardPath(value.benchmark, at)}>
            See the board
          </Button>
          <Button href={submitPath(value.benchmark, at)}>Hand in another</Button>
        </p>
      </section>
      {metrics && parts && parts.length > 0 && (
        <section aria-labelledby="parts-title">
          <h2 id="parts-title">Parts</h2>
          <ScrollArea class="board narrow" label="Scores of the parts">
            <table>
              <TableHead labels={["Part"]} metrics={metrics} />
              <tbody>
                {parts.map((part) => (
                  <tr key={part.part}>
                    <th scope="row">{part.part}</th>
                    <ScoreCells metrics={metrics} scores={part.scores} />
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollArea>
        </section>
      )}
      {(isClosed(value) || detail_url != null || Object.keys(detail ?? {}).length > 0) && (
        <section aria-labelledby="detail-title">
          <h2 id="detail-title">Detail</h2>
          {isClosed(value) ? (
            <>
              <p>The details are only shown to its player and to owners.</p>
              {form}
            </>
          ) : detail_url == null ? (
            <Detail detail={detail ?? {}} />
          ) : (
            <p>
              <a href={detail_url}>Download the details</a>, which are too long for this page.
            </p>
          )}
        </section>
      )}
    </>
  );
}

/** Return one sentence about a personal best and the one before. */
function describeBest({ part, scores, before, is_new }: PersonalBest, metric: ScoreMetric): string {
  const inPart = part === null ? "" : ` in ${part}`;
  const now = formatWithUnit(scores[metric.id], metric);
  if (!is_new) return `The personal best${inPart} is still ${now}.`;
  return `A new personal best${inPart}: ${now}${before ? `, after ${formatWithUnit(before[metric.id], metric)}` : ""}.`;
}

/** Why a scored result has no row, and which rank it would have. */
const Nameless = ({ value: { benchmark, would_rank, players }, at }: Omit<OpenedProps, "form">) => (
  <div class="banner">
    <p>
      <strong>Not on the board: give a name.</strong> Results without a name are scored and counted, but have no row.
      {would_rank != null && players != null && (
        <>
          {" "}
          This score would be {spellRank(would_rank, false)} of {formatPlural(players + 1, "player")} now.
        </>
      )}
    </p>
    <Button small href={submitPath(benchmark, at)}>
      Hand in with a name
    </Button>
  </div>
);

function Failed({ value, at, form }: OpenedProps) {
  const { outcome, message, output } = value;
  if (outcome == null) return null;
  const printed = output ? formatOutput(message, output.stdout, output.stderr) : "";
  return (
    <section aria-labelledby="next-title">
      <h2 id="next-title">What to do next</h2>
      {message != null && outcome === "invalid" && (
        <div class="message">
          <p>{message}</p>
          {value.pointer && (
            <p class="fine">
              at <code>{value.pointer}</code>
            </p>
          )}
        </div>
      )}
      <p>{MEANINGS[outcome].next}</p>
      {isClosed(value) && form}
      {printed !== "" && <Snippet label="Output of the evaluation" text={printed} />}
      <p class="labels">
        <Button primary href={submitPath(value.benchmark, at)}>
          Hand in again
        </Button>
        <Button href={boardPath(value.benchmark, at)}>See the board</Button>
      </p>
    </section>
  );
}

const Receipt = ({ receipt }: { readonly receipt: string }) => (
  <section class="receipt" aria-labelledby="receipt-title">
    <h2 id="receipt-title">Receipt</h2>
    <p>It opens the details and messages of this submission. Only this tab has it: copy it to read them elsewhere.</p>
    <p class="receipt-line">
      <code>{receipt}</code> <CopyButton label="the receipt" text={receipt} />
    </p>
  </section>
);

const Facts = ({ value }: { readonly value: SubmissionView }) => (
  <section aria-labelledby="facts-title">
    <h2 id="facts-title">About this submission</h2>
    <dl class="pairs">
      <Fact label="Id">
        <code>{value.submission}</code>
      </Fact>
      <Fact label="Submitted">{formatTime(Date.parse(value.submitted_at))}</Fact>
      {value.signature && (
        <Fact label="Signature">
          <code>{breakableText(value.signature, "|")}</code>
          {value.outcome === "scored" && <p class="fine">How the score was made, so that anybody can reproduce it.</p>}
        </Fact>
      )}
    </dl>
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
