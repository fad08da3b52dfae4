/** What became of a batch: shown to who has its token, and kept up to date until all of it is judged. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { UploadAnswer } from "../../api/answers.ts";
import { saveFile } from "../../hooks/browser.ts";
import { usePolled } from "../../hooks/polling.ts";
import { fetchEntries, fetchUpload } from "../../api/batches.ts";
import { countFailed, formatReport, labelOf, tellBatch } from "../../lib/batch.ts";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { boardPath, submitPath } from "../../lib/route.ts";
import { statusDelay } from "../../lib/schedule.ts";
import { checkToken, explainRefusal } from "../../lib/token.ts";
import { EntryTable, FailureTable } from "./entry_table.tsx";
import { Faults } from "../form_errors.tsx";
import { Icon } from "../icons.tsx";
import { Meter } from "../progress_bar.tsx";
import { Bars, StaleBanner, Unavailable } from "../states.tsx";
import { TokenField } from "../token_field.tsx";

interface Props {
  readonly benchmark: string;
  readonly upload: string;
  readonly token: string;
  readonly onToken: (token: string) => void;
}

export function BatchReport(props: Props) {
  const [faults, setFaults] = useState<readonly string[]>([]);
  // What is typed opens the report only once it is sent.
  const [opened, setOpened] = useState(props.token !== "");
  const refuse = (why: readonly string[]): void => {
    setFaults(why);
    setOpened(false);
  };
  const open = (event: Event): void => {
    event.preventDefault();
    const wrong = checkToken(props.token);
    setFaults(wrong === null ? [] : [wrong]);
    setOpened(wrong === null);
  };
  if (opened) return <FollowedBatch {...props} onRefused={refuse} />;
  return (
    <form class="handover" onSubmit={open} noValidate>
      <TokenField hint="opens the report of this batch" token={props.token} onToken={props.onToken} />
      <Faults faults={faults} />
      <button type="submit" class="button primary">
        Show the report
      </button>
    </form>
  );
}

interface FollowedProps extends Props {
  readonly onRefused: (why: readonly string[]) => void;
}

/** A page of entries. */
interface Page {
  readonly cursor: string | null;
  /** How many entries stand before it. */
  readonly start: number;
}

function FollowedBatch({ benchmark, upload, token, onRefused }: FollowedProps) {
  const [pages, setPages] = useState<readonly Page[]>([{ cursor: null, start: 0 }]);
  const { cursor, start } = pages.at(-1) ?? { cursor: null, start: 0 };
  const progress = useRef({ judged: -1, at: Date.now() });
  const known = useRef<UploadAnswer | null>(null);
  // After the form is gone the keyboard goes on where the report begins.
  useEffect(() => document.getElementById("main")?.focus({ preventScroll: true }), []);

  const asked = usePolled(
    `${upload} ${cursor}`,
    async (signal) => {
      const fetched = await fetchUpload(benchmark, upload, token, cursor, signal);
      if (fetched.kind === "refused") onRefused(explainRefusal(fetched.problem));
      if (fetched.kind === "missing") onRefused(["The player of this token has no such batch here."]);
      return fetched;
    },
    (value) => {
      const judged = value.scored + countFailed(value);
      if (judged !== progress.current.judged) progress.current = { judged, at: Date.now() };
      return value.status === "done" ? null : statusDelay((Date.now() - progress.current.at) / 1000);
    },
  );
  // While another page of entries is fetched, the one before stays.
  known.current = asked.value ?? known.current;
  const batch = known.current;
  if (batch === null) {
    return (
      <Unavailable
        phase={asked.phase === "failed" || asked.phase === "newer" ? asked.phase : "loading"}
        retry={asked.retry}
        missing=""
      >
        <Bars count={4} kind="line" />
      </Unavailable>
    );
  }
  const turn = (page: Page): void => setPages([...pages, page]);
  return (
    <>
      <StaleBanner stale={asked.phase === "stale"} since="a moment ago" retry={asked.retry} />
      <section aria-labelledby="batch-title">
        <h2 id="batch-title">Report</h2>
        <Progress batch={batch} />
        <p class="rule">This address shows the report again to whoever brings the token.</p>
        <p class="labels">
          <a class="button primary" href={boardPath(benchmark)}>
            See the board
          </a>
          <a class="button" href={submitPath(benchmark)}>
            Hand in more
          </a>
          {batch.page.length > 0 && <ReportButton {...{ benchmark, upload, token, batch }} />}
        </p>
      </section>
      <FailureTable benchmark={benchmark} failures={batch.failures} count={countFailed(batch)} />
      <EntryTable
        benchmark={benchmark}
        batch={batch}
        start={start}
        onBack={pages.length > 1 ? () => setPages(pages.slice(0, -1)) : null}
        onNext={batch.next === null ? null : () => turn({ cursor: batch.next, start: start + batch.page.length })}
      />
    </>
  );
}

const STEPS = ["Uploaded", "Read", "Scored"];
const REACHED = { waiting: 0, processing: 1, scoring: 2, done: 3 };

/** Uploaded → read → scored, said aloud when it changes, and how many are through. */
function Progress({ batch }: { readonly batch: UploadAnswer }) {
  const reached = REACHED[batch.status];
  const failed = countFailed(batch);
  const whole = batch.entries;
  const failing = batch.status === "done" && batch.scored === 0;
  const through = `${formatCount(batch.scored + failed)} of ${formatPlural(whole, "result")}`;
  const counts = (["scored", "invalid", "refused", "evaluator_error", "internal_error", "queued"] as const).filter(
    (one) => batch[one] > 0 || one === "scored",
  );
  return (
    <>
      <ol class="steps">
        {STEPS.map((step, index) => (
          <li
            key={step}
            class={
              index < reached ? `done ${failing && index === 2 ? "bad" : ""}` : index === reached ? "active" : undefined
            }
          >
            {failing && index === 2 ? "Nothing scored" : step}
          </li>
        ))}
      </ol>
      <p role="status">{tellBatch(batch)}</p>
      {whole > 0 && (
        <>
          <Meter label="Results judged" text={through} total={whole} good={batch.scored} bad={failed} />
          <dl class="facts">
            <div>
              <dt>Judged</dt>
              <dd>{through}</dd>
            </div>
            {counts.map((one) => (
              <div key={one}>
                <dt>{labelOf(one).label}</dt>
                <dd class={`outcome ${batch[one] > 0 ? labelOf(one).tone : ""}`}>{formatCount(batch[one])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  );
}

interface ReportButtonProps extends Pick<Props, "benchmark" | "upload" | "token"> {
  readonly batch: UploadAnswer;
}

/** Takes the report home: every entry, page after page. */
function ReportButton({ benchmark, upload, token, batch }: ReportButtonProps) {
  const [words, setWords] = useState("CSV");
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    const entries = await fetchEntries(benchmark, upload, token, (count) =>
      setWords(`${formatCount(count)} of ${formatCount(batch.entries)}`),
    );
    setBusy(false);
    setWords(entries ? "CSV" : "Try again");
    if (entries) saveFile(`${benchmark}-${upload}.csv`, "text/csv", formatReport(entries, batch.failures));
  };
  return (
    <button type="button" class="button" onClick={save} disabled={busy}>
      <Icon name="download" />
      <span role="status">{words}</span>
      <span class="unseen"> of the report</span>
    </button>
  );
}
