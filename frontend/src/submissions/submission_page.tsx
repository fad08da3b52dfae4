/** `/b/{b}/s/{id}`: one submission's outcome; it updates until the outcome is final. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

import type { Head, SubmissionView, WithdrawalView } from "../api/generated/types.ts";
import { parseBoard } from "../api/view.ts";
import { submissionUrl } from "../api/views.ts";
import { spellRank } from "../boards/rows/ranks.ts";
import { say } from "../languages/say.ts";
import { Fact } from "../ui/facts.tsx";
import { CredentialForm } from "../ui/forms/credential_form.tsx";
import { useNow, useTitle } from "../ui/hooks/browser.ts";
import { playerOf } from "../ui/hooks/storage.ts";
import { Face, Sign } from "../ui/icons.tsx";
import { checkCredential } from "../ui/lib/checks.ts";
import { formatTime } from "../ui/lib/format.ts";
import { NAMELESS } from "../ui/lib/guests.ts";
import { hueOf } from "../ui/lib/hash.ts";
import { boardPath, playerPath, type PageProps } from "../ui/lib/route.ts";
import { PlayerTags } from "../ui/player_name.tsx";
import type { ScoreMetric } from "../ui/scores.tsx";
import { Bars, StaleBanner, Unavailable } from "../ui/states.tsx";
import { Secret } from "../ui/tabs.tsx";
import { TimeAgo } from "../ui/values.tsx";
import { Moment } from "./moment.tsx";
import { Actions, describeState, Details, Failed, hidesDetails, Scores } from "./outcome.tsx";
import { useSubmission } from "./status.ts";
import { ExtensionNote } from "./submit/taking.tsx";
import { UndoButton, WithdrawForm } from "./withdrawal.tsx";

const UNDO_MILLISECONDS = 60 * 60_000;
const VERSION = /^[0-9a-f]{16}$/;

export function SubmissionPage({ benchmark, submission, search }: PageProps & { readonly submission: string }) {
  const at = parseBoard(search);
  const version = readVersion(search);
  const shown = useSubmission(benchmark, submission, version);
  const { value, phase, retry, head, receipt, credential, isKey, follows } = shown;
  const metrics = value ? metricsFor(value, head) : [];
  const [result, meaning] = value ? describeState({ value, metrics, follows }) : ["", ""];
  const ranked = value && readRank(value);
  const sentence = ranked ? spellMove(ranked) : result;
  useTitle(head && value ? `${value.name}: ${sentence} · ${head.title}` : "");
  const hadRank = useRef<boolean | null>(null);
  if (value === null)
    return (
      <Unavailable phase={phase} retry={retry} missing={say("This submission does not exist.")} board={benchmark} />
    );
  hadRank.current ??= ranked !== null;
  // What is left of a quota is only for the player; owners see all that is open.
  const isMine = value.quota_left != null;
  const isOwn = isMine || (credential !== null && !isKey && !hidesDetails(value));
  const target =
    isOwn && credential !== null ? { url: `${submissionUrl(benchmark, submission)}/withdrawal`, credential } : null;
  const mayUndo = target !== null && ((receipt === null && !isKey) || value.withdrawn?.by === "player");
  const part = value.parts?.length === 1 ? value.parts[0]?.part : undefined;
  const isVisitor = isMine || playerOf(benchmark).find() === value.player;
  return (
    <div class="moment" style={{ "--h": hueOf(benchmark) }}>
      <StaleBanner stale={phase === "stale"} retry={retry} />
      <Top value={value} at={at} head={head} part={shown.places?.find(({ board }) => board === part)?.title ?? part} />
      <div role="status">
        {ranked ? (
          <Moment value={ranked} places={shown.places ?? []} isOwn={isVisitor} isNew={!hadRank.current} at={at} />
        ) : (
          <Calm value={value} at={at} title={result} text={meaning} />
        )}
      </div>
      {value.withdrawn && (
        <WithdrawalBanner withdrawal={value.withdrawn}>
          {mayUndo ? <UndoButton {...target} onChange={retry} /> : null}
        </WithdrawalBanner>
      )}
      {value.extension && (
        <p class="banner">
          <ExtensionNote extension={value.extension} />
        </p>
      )}
      {version !== null && <p class="banner">{say("This is what version {version} says of it.", { version })}</p>}
      <Failed value={value} />
      {value.scores != null && <Scores value={value} metrics={metrics} />}
      {value.outcome != null && <Actions value={value} head={head} at={at} />}
      <Details value={value} />
      <Folded {...{ shown, value, target, isMine }} />
    </div>
  );
}

/** Return the version that an address asks for; null for the one that is current. */
function readVersion(search: string): string | null {
  const version = new URLSearchParams(search).get("version");
  return version !== null && VERSION.test(version) ? version : null;
}

type Ranked = Parameters<typeof Moment>[0]["value"];

/** Return a submission that has a rank; null if it has none. */
const readRank = (value: SubmissionView): Ranked | null =>
  value.rank == null || value.players == null || value.withdrawn
    ? null
    : { ...value, rank: value.rank, players: value.players };

/** Return a rank for the title of the page: `11th → 8th of 22`. */
function spellMove({ rank, players, rank_before: from }: Ranked): string {
  const now = say("{rank} of {players}", { rank: spellRank(rank, false), players });
  return from == null || from === rank ? now : `${spellRank(from, false)} → ${now}`;
}

interface TopProps {
  readonly value: SubmissionView;
  readonly at: string;
  readonly head: Head | null;
}

/** The board, the part, the label and the time. */
const Top = ({ value, at, head, part }: TopProps & { readonly part: string | undefined }) => (
  <p class="whose">
    <Sign board={value.benchmark} size={24} />
    <a href={boardPath(value.benchmark, at)}>{head?.title ?? value.benchmark}</a>
    <span class="fine">
      {part !== undefined && `${part} · `}
      {value.label && <bdi>{value.label} · </bdi>}
      <TimeAgo at={value.submitted_at} />
    </span>
  </p>
);

interface CalmProps extends Omit<TopProps, "head"> {
  readonly title: string;
  readonly text: string;
}

/** What came of a submission that has no rank, and whose it is. */
const Calm = ({ value, at, title, text }: CalmProps) => (
  <>
    <h1>{title}</h1>
    <p class="said">{text}</p>
    <p class="whose">
      <Face {...value} size={40} />
      {/* The name is isolated, so that its writing direction stays its own. */}
      {value.player === NAMELESS ? (
        <bdi>{value.name}</bdi>
      ) : (
        <a href={playerPath(value.benchmark, value.player, at)}>
          <bdi>{value.name}</bdi>
        </a>
      )}
      <PlayerTags kind={value.kind} verified={value.verified} />
    </p>
    {value.outcome == null && (
      // The rows come here, and move nothing.
      <div class="ladder" aria-hidden="true">
        <Bars count={5} />
      </div>
    )}
  </>
);

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
        <TimeAgo at={withdrawal.at} />{" "}
        {say("by {role}: {reason}", { role: ROLES[withdrawal.by], reason: withdrawal.reason })}{" "}
        {isUndoable && say("You can undo this within an hour.")}
      </p>
      {isUndoable && children}
    </div>
  );
}

interface FoldedProps {
  readonly shown: ReturnType<typeof useSubmission>;
  readonly value: SubmissionView;
  readonly isMine: boolean;
  /** What may be withdrawn; null if the visitor may not. */
  readonly target: { readonly url: string; readonly credential: string } | null;
}

/** What nobody looks for first: what opens the submission, what its player may do with it, and ids. */
function Folded({ shown, value, isMine, target }: FoldedProps) {
  const { receipt, credential, key, isKey, error, open, retry } = shown;
  const isKept = isMine && key !== null && value.player.startsWith("guest--");
  const wrong =
    receipt === null
      ? say("This token is neither of its player nor of an owner.")
      : say("That receipt belongs to another submission.");
  const problem = error ?? (credential === null || isKey || !hidesDetails(value) ? null : wrong);
  return (
    <details class="help" open={problem !== null || (receipt !== null && !isKept)}>
      <summary>{say("Receipt, withdrawal, id and JSON")}</summary>
      {receipt !== null && (
        <>
          <p>
            {say("The receipt opens the details and messages of this submission.")}{" "}
            {isKept
              ? say("Your player key does too, which this browser keeps.")
              : say("Only this tab has it: copy it to read them elsewhere.")}
          </p>
          <Secret label={say("the receipt")} text={receipt} />
        </>
      )}
      {hidesDetails(value) && (
        <CredentialForm
          label={say(
            "The receipt of this submission, or a token of its player or of an owner, opens its details and messages.",
          )}
          placeholder="receipt_… or laurel_…"
          check={checkCredential}
          error={problem}
          onCredential={open}
        />
      )}
      {target && !value.withdrawn && <WithdrawForm {...target} onChange={retry} />}
      <dl class="pairs">
        <Fact label={say("Id")}>
          <a href={submissionUrl(value.benchmark, value.submission)}>
            <code>{value.submission}</code>
          </a>
        </Fact>
        <Fact label={say("Submitted")}>{formatTime(Date.parse(value.submitted_at))}</Fact>
        {value.signature && (
          <Fact label={say("Signature")}>
            <code>{value.signature}</code>
          </Fact>
        )}
      </dl>
    </details>
  );
}

/** Return the board's metrics; without a board, metrics named as the scores are. */
function metricsFor(value: SubmissionView, head: Head | null): readonly ScoreMetric[] {
  if (head) return head.metrics;
  const shared = { unit: null, decimals: null, direction: "higher", primary: false } as const;
  return Object.keys(value.scores ?? {}).map((id) => ({ id, label: id, ...shared }));
}
