/** `/b/{b}/s/{id}`: one submission's outcome; it updates until the outcome is final. */

import type { ComponentChildren } from "preact";

import type { Head, SubmissionView, WithdrawalView } from "../api/generated/types.ts";
import { parseBoard } from "../api/view.ts";
import { submissionUrl } from "../api/views.ts";
import { formatAmount } from "../boards/places.tsx";
import { findRow } from "../boards/rows/row.ts";
import { say } from "../languages/say.ts";
import { breakableText, Fact } from "../ui/facts.tsx";
import { CredentialForm } from "../ui/forms/credential_form.tsx";
import { useNow, useTitle } from "../ui/hooks/browser.ts";
import { Hero } from "../ui/layout.tsx";
import { checkCredential } from "../ui/lib/checks.ts";
import { formatTime } from "../ui/lib/format.ts";
import { guestMark, NAMELESS } from "../ui/lib/guests.ts";
import { playerPath, type PageProps } from "../ui/lib/route.ts";
import { PlayerTags } from "../ui/player_name.tsx";
import type { ScoreMetric } from "../ui/scores.tsx";
import { StaleBanner, Unavailable } from "../ui/states.tsx";
import { Secret } from "../ui/tabs.tsx";
import { RelativeTime } from "../ui/values.tsx";
import { Failed, hidesDetails, Scored } from "./outcome.tsx";
import { MEANINGS } from "./outcomes.ts";
import { useSubmission } from "./status.ts";
import { ExtensionNote } from "./submit/taking.tsx";
import { UndoButton, WithdrawButton } from "./withdrawal.tsx";

const UNDO_MILLISECONDS = 60 * 60_000;

export function SubmissionPage({ benchmark, submission, search }: PageProps & { readonly submission: string }) {
  const at = parseBoard(search);
  const shown = useSubmission(benchmark, submission);
  const { value, phase, retry, head, receipt, credential, key, isKey } = shown;
  const metrics = shown.isLoading || !value ? null : metricsFor(value, head);
  const result = value ? describeResult(value, metrics ?? []) : "";
  const name = value && `${value.name}${guestMark(value.name, value.verified)}`;
  useTitle(head && value ? `${name}: ${result} · ${head.title}` : "");
  if (value === null)
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
      error={shown.error ?? (credential === null || isKey ? null : wrong)}
      onCredential={shown.open}
    />
  );
  // What is left of a quota is only for the player; owners see all that is open.
  const isMine = value.quota_left != null;
  const isOwn = isMine || (credential !== null && !isKey && !hidesDetails(value));
  const target = isOwn && credential !== null ? { url: submissionUrl(benchmark, submission), credential } : null;
  const mayUndo = target !== null && ((receipt === null && !isKey) || value.withdrawn?.by === "player");
  const tied = isTied(value, head);
  return (
    <>
      <StaleBanner stale={phase === "stale"} retry={retry} />
      <Top value={value} at={at} head={head} result={result} />
      {value.withdrawn && (
        <WithdrawalBanner withdrawal={value.withdrawn}>
          {mayUndo ? <UndoButton {...target} onChange={retry} /> : null}
        </WithdrawalBanner>
      )}
      {value.late && <p class="banner">{say("Late: it came after the close, and is on no board.")}</p>}
      {value.extension && (
        <p class="banner">
          <ExtensionNote extension={value.extension} />
        </p>
      )}
      {value.in_review && !value.withdrawn && (
        <div class="banner">
          <p>
            <strong>
              {value.frozen
                ? say("Frozen: it is valid, and counts once the board shows what came.")
                : say("In review: waits for the owner’s look.")}
            </strong>{" "}
            {!value.frozen && say("The owner looks at results like this one before they count.")}{" "}
            {say("Until it is accepted, it is on no board, and only its player and the owner see its scores.")}
          </p>
        </div>
      )}
      <Progress value={value} />
      {value.scores != null && (
        <Scored {...{ value, at, form, metrics, tied }} places={shown.places ?? []} follows={shown.follows} />
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

interface TopProps {
  readonly value: SubmissionView;
  readonly at: string;
  readonly head: Head | null;
  readonly result: string;
}

/** Whose submission it is, and what came of it. */
const Top = ({ value, at, head, result }: TopProps) => (
  <Hero board={head ?? { id: value.benchmark, title: value.benchmark }} at={at}>
    <div class="headline">
      <div>
        <h1 class="name">
          {/* The name is isolated, so that its writing direction stays its own. */}
          {value.player === NAMELESS ? (
            <bdi>{value.name}</bdi>
          ) : (
            <a href={playerPath(value.benchmark, value.player, at)}>
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
    </div>
  </Hero>
);

/** Return what came of a submission, in a few words: its score if it has one. */
function describeResult({ outcome, scores }: SubmissionView, metrics: readonly ScoreMetric[]): string {
  if (outcome == null) return say("waiting to be scored");
  const primary = metrics.find((metric) => metric.primary) ?? metrics[0];
  if (outcome !== "scored" || !primary || !scores) return MEANINGS[outcome].label;
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
        <Secret label={say("the receipt")} text={receipt} />
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
