/** The report of a batch, for holders of its token; it updates until the batch is done. */

import { useEffect, useState } from "preact/hooks";

import { nextPause } from "../../../sdk/beat.js";
import { fetchHead } from "../api/client.ts";
import type { UploadView } from "../api/generated/types.ts";
import { spellRank } from "../boards/rows/ranks.ts";
import { findRow } from "../boards/rows/row.ts";
import { say } from "../languages/say.ts";
import { describeStatus } from "../submissions/outcomes.ts";
import { saveSubmissions, useSubmissions } from "../submissions/requests.ts";
import { SubmissionTable } from "../submissions/table.tsx";
import { UndoButton, WithdrawForm } from "../submissions/withdrawal.tsx";
import { Button } from "../ui/controls.tsx";
import { Fact, Section } from "../ui/facts.tsx";
import { CredentialForm } from "../ui/forms/credential_form.tsx";
import { FormErrors } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { checkToken, explainProblem } from "../ui/lib/checks.ts";
import { formatCount, formatTime } from "../ui/lib/format.ts";
import { boardPath, playerPath, submitPath } from "../ui/lib/route.ts";
import type { ScoreMetric } from "../ui/scores.tsx";
import { StaleBanner, Unavailable } from "../ui/states.tsx";
import { countFailed, describeBatch, describeRepetition } from "./files.ts";
import { ProgressBar } from "./form.tsx";
import { fetchBatch } from "./requests.ts";

interface Props {
  readonly benchmark: string;
  /** The board from which the visitor came. */
  readonly board: string;
  readonly upload: string;
  /** Whose batch it is, as an owner names its player; or "". */
  readonly player: string;
  readonly metrics: readonly ScoreMetric[];
  readonly token: string;
  readonly onToken: (token: string) => void;
}

export function BatchReport(props: Props) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const open = (token: string): void => {
    setRefusal(null);
    props.onToken(token);
  };
  return checkToken(props.token) === null && refusal === null ? (
    <OpenReport {...props} onRefused={setRefusal} />
  ) : (
    <CredentialForm label={say("Your token opens it.")} error={refusal} onCredential={open} />
  );
}

function OpenReport({ onRefused, ...props }: Props & { readonly onRefused: (why: string) => void }) {
  const { benchmark, board, upload, player, metrics, token } = props;
  const { errors, send } = useRequest();
  // The form that had the focus is gone, so the keyboard continues at the report.
  useEffect(() => document.getElementById("main")?.focus({ preventScroll: true }), []);

  const polled = usePolled(
    upload,
    async (signal) => {
      const fetched = await fetchBatch(benchmark, upload, token, signal, player);
      if (fetched.kind === "rejected") onRefused(explainProblem(fetched.problem).join(" "));
      if (fetched.kind === "missing") onRefused(say("The player of this token has no such batch here."));
      return fetched;
    },
    (value, unchanged) => (value.status === "done" ? null : nextPause(unchanged)),
  );
  const batch = polled.value;
  if (batch === null) {
    const phase = polled.phase === "missing" ? "loading" : polled.phase;
    return <Unavailable phase={phase} retry={polled.retry} missing="" />;
  }
  const about = { benchmark, board, player, token, metrics, batch };
  return (
    <>
      <StaleBanner stale={polled.phase === "stale"} retry={polled.retry} />
      {batch.repeated && (
        <Section id="repeated" title={say("Submitted before")}>
          <p>
            {say("The site has had this file since {time}.", { time: formatTime(Date.parse(batch.received_at ?? "")) })}{" "}
            {describeRepetition(batch)}
          </p>
        </Section>
      )}
      <Section id="batch" title={say("Report")}>
        <Progress batch={batch} />
        <p class="rule">{say("Open this address again with the same token to see the report.")}</p>
        <p class="labels">
          <Button primary href={boardPath(benchmark, board)}>
            {say("See the board")}
          </Button>
          <Button href={submitPath(benchmark, board)}>{say("Hand in more")}</Button>
          {batch.entries > 0 && (
            <Button
              onClick={() => void send(saveSubmissions(benchmark, { batch: upload, ...(player && { player }) }, token))}
            >
              CSV<span class="unseen"> {say("of the report")}</span>
            </Button>
          )}
        </p>
        <FormErrors errors={errors} />
      </Section>
      {countFailed(batch) > 0 && <Entries {...about} title={say("Without a score")} outcome="failed" />}
      {batch.entries > 0 && <Entries {...about} title={say("Every entry")} />}
      {batch.entries > batch.refused && <BatchWithdrawal {...about} onChange={polled.retry} />}
    </>
  );
}

interface WithdrawalProps extends Pick<Props, "benchmark" | "player" | "token"> {
  readonly batch: UploadView;
  readonly onChange: () => void;
}

/** What withdraws the batch, and undoes it. */
function BatchWithdrawal({ benchmark, player, token, batch, onChange }: WithdrawalProps) {
  const total = batch.entries - batch.refused;
  const url = `/api/benchmarks/${benchmark}/uploads/${batch.upload}/withdrawal${player && `?player=${player}`}`;
  const target = { url, credential: token, onChange };
  return (
    <Section id="withdraw" title={say("Withdraw")}>
      <p role="status">
        {batch.withdrawn > 0 &&
          say("{withdrawn} of {total} withdrawn. That can be undone for an hour.", {
            withdrawn: batch.withdrawn,
            total,
          })}
      </p>
      {batch.withdrawn > 0 && <UndoButton {...target} isBatch />}
      {batch.withdrawn < total && <WithdrawForm {...target} isBatch />}
    </Section>
  );
}

const COUNTS = ["scored", "in_review", "invalid", "refused", "evaluator_error", "internal_error", "queued"] as const;

/** How far the batch is, announced to screen readers, with counts of the outcomes. */
function Progress({ batch }: { readonly batch: UploadView }) {
  const failed = countFailed(batch);
  const total = batch.entries;
  const judged = say("{number} of {total}", { number: batch.scored + batch.in_review + failed, total });
  return (
    <>
      <p role="status">{describeBatch(batch)}</p>
      {total > 0 && (
        <>
          <ProgressBar
            label={say("Results judged")}
            text={judged}
            total={total}
            good={batch.scored + batch.in_review}
            bad={failed}
          />
          <dl class="facts">
            <Fact label={say("Judged")}>{judged}</Fact>
            {COUNTS.filter((status) => batch[status] > 0 || status === "scored").map((status) => {
              const { label, tone } = describeStatus(status);
              const classes = batch[status] > 0 ? `outcome ${tone}` : undefined;
              return (
                <Fact key={status} label={label}>
                  <span class={classes}>{formatCount(batch[status])}</span>
                </Fact>
              );
            })}
          </dl>
        </>
      )}
    </>
  );
}

interface EntriesProps extends Pick<Props, "benchmark" | "board" | "player" | "token" | "metrics"> {
  readonly batch: UploadView;
  readonly title: string;
  readonly outcome?: "failed";
}

/** Where the player of the batch stands on the board. */
function Standing({ benchmark, board, player }: Pick<Props, "benchmark" | "board" | "player">) {
  const { value: head } = usePolled(
    benchmark,
    (signal) => fetchHead(benchmark, signal),
    (latest, unchanged) => nextPause(unchanged, latest.beat),
  );
  const row = head && findRow(head.rows, player);
  return row ? (
    <a href={playerPath(benchmark, player, board)}>
      {say("Rank")}: {say("{rank} of {players}.", { rank: spellRank(row.rank, row.tied), players: head.total })}
    </a>
  ) : null;
}

/** The entries, or those without a score; asked for again when the report changes. */
function Entries({ benchmark, board, player, token, metrics, batch, title, outcome }: EntriesProps) {
  const query = { batch: batch.upload, ...(player && { player }), ...(outcome ? { outcome } : {}) };
  const list = useSubmissions(benchmark, query, token, { seconds: null });
  useEffect(list.retry, [JSON.stringify(batch)]);
  const [first] = list.page?.submissions ?? [];
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {!outcome && first && <Standing {...{ benchmark, board }} player={first.player} />}
      <SubmissionTable {...{ benchmark, board, list, metrics }} label={title} isBatch />
    </section>
  );
}
