/** `/b/{b}/s/{id}`: what became of a submission; looks again until it is final. */

import { useRef, useState } from "preact/hooks";

import type { SubmissionAnswer, Withdrawal } from "../api/answers.ts";
import { useTitle } from "../hooks/browser.ts";
import { fetchHead, fetchSubmission } from "../api/client.ts";
import { usePolled } from "../hooks/polling.ts";
import { receipts } from "../hooks/storage.ts";
import { formatCount, formatMoment, formatScore, spellRank } from "../lib/format.ts";
import { formatDetail, meaningOf, printedBeside } from "../lib/outcome.ts";
import { boardPath, playerPath, submitPath } from "../lib/route.ts";
import { statusDelay } from "../lib/schedule.ts";
import { findRow } from "../lib/table.ts";
import { breakAfter } from "../components/breakable_text.tsx";
import { Moment } from "../components/relative_time.tsx";
import { PlayerName, ShortName } from "../components/player_name.tsx";
import { ReceiptForm } from "../components/submission/receipt_form.tsx";
import { ScoreList, type Column } from "../components/submission/score_list.tsx";
import { CopyButton, Snippet } from "../components/snippet.tsx";
import { Bars, StaleBanner, Unavailable } from "../components/states.tsx";
import type { Head } from "../api/generated/snapshots.ts";

interface Props {
  readonly benchmark: string;
  readonly submission: string;
}

export function SubmissionPage({ benchmark, submission }: Props) {
  const [receipt, setReceipt] = useState(() => receipts.find(submission));
  const since = useRef(Date.now());
  const asked = usePolled(
    `${submission} ${receipt}`,
    (signal) => fetchSubmission(benchmark, submission, receipt, signal),
    (value) => (value.status === "done" ? null : statusDelay((Date.now() - since.current) / 1000)),
  );
  const board = usePolled(
    benchmark,
    (signal) => fetchHead(benchmark, signal),
    () => null,
  );
  const head = board.value;
  useTitle(head ? `Submission · ${head.title}` : "");
  const { value, phase } = asked;
  if (value === null) {
    return (
      <Unavailable
        phase={phase === "ok" || phase === "stale" ? "loading" : phase}
        retry={asked.retry}
        missing="There is no such submission."
        board={benchmark}
      >
        <div class="hero" aria-hidden="true">
          <div class="bar title" />
        </div>
        <Bars count={6} kind="line" />
      </Unavailable>
    );
  }
  return (
    <>
      <StaleBanner stale={phase === "stale"} since="a moment ago" retry={asked.retry} />
      <div class="hero">
        <p class="crumbs">
          <a href="/">Boards</a> <a href={boardPath(benchmark)}>{head?.title ?? benchmark}</a>
        </p>
        <h1>Submission</h1>
        <p class="lead">
          by{" "}
          <PlayerName
            name={value.name}
            kind={value.kind}
            verified={value.verified}
            href={playerPath(benchmark, value.player)}
          />{" "}
          <span class="fine">
            <Moment at={value.submitted_at} />
          </span>
        </p>
      </div>
      {value.withdrawn && <Withdrawn withdrawal={value.withdrawn} />}
      <Progress value={value} />
      {value.outcome === "scored" && (
        <Scored
          value={value}
          columns={board.phase === "loading" ? null : columnsFor(value, head)}
          tied={isTied(value, head)}
          trusted={receipt !== null}
          onReceipt={setReceipt}
        />
      )}
      {value.outcome !== null && value.outcome !== "scored" && (
        <Failed value={value} trusted={receipt !== null} onReceipt={setReceipt} />
      )}
      {receipt !== null && <Receipt receipt={receipt} />}
      <Facts value={value} />
    </>
  );
}

const WITHDRAWERS: Readonly<Record<Withdrawal["by"], string>> = {
  player: "its player",
  owner: "the benchmark’s owner",
  admin: "the site’s administrator",
  operator: "the site’s operator",
};

const Withdrawn = ({ withdrawal }: { readonly withdrawal: Withdrawal }) => (
  <div class="banner">
    <p>
      <strong>Withdrawn</strong> <Moment at={withdrawal.at} /> by {WITHDRAWERS[withdrawal.by]}: {withdrawal.reason}
      <br />
      It counts on no board any more, and stays in the record.
    </p>
  </div>
);

/** Queued → outcome, said aloud when it changes. */
function Progress({ value }: { readonly value: SubmissionAnswer }) {
  const meaning = value.outcome === null ? null : meaningOf(value.outcome);
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
            <strong>{meaning.label}.</strong> {meaning.explanation}
          </p>
        ) : (
          <p>The result is safe. It is usually scored within seconds; this page looks again by itself.</p>
        )}
      </div>
    </section>
  );
}

/** What is opened by the receipt of a submission. */
interface Sealed {
  readonly value: SubmissionAnswer;
  readonly trusted: boolean;
  readonly onReceipt: (receipt: string) => void;
}

interface ScoredProps extends Sealed {
  /** What the scores are called; null while that is asked for. */
  readonly columns: readonly Column[] | null;
  readonly tied: boolean;
}

function Scored({ value, columns, tied, trusted, onReceipt }: ScoredProps) {
  const { detail } = value;
  const detailUrl = value.detail_url ?? null;
  // Of several parts each has its own, which this page does not show.
  const hidden = detail === null && detailUrl === null && (value.parts?.length ?? 0) < 2;
  return (
    <>
      <section aria-labelledby="scores-title">
        <h2 id="scores-title">Scores</h2>
        {columns ? (
          <ScoreList columns={columns} scores={value.scores ?? {}} />
        ) : (
          <div aria-busy="true">
            <Bars count={2} kind="row" />
          </div>
        )}
        {value.rank !== null && value.players !== null && (
          <p>
            <a href={playerPath(value.benchmark, value.player)}>
              <ShortName name={value.name} verified={value.verified} />
            </a>{" "}
            stands {spellRank(value.rank, tied)} of {formatCount(value.players)} now.
          </p>
        )}
        <p class="labels">
          <a class="button primary" href={boardPath(value.benchmark)}>
            See the board
          </a>
          <a class="button" href={submitPath(value.benchmark)}>
            Hand in another
          </a>
        </p>
      </section>
      {columns && value.parts !== null && value.parts.length > 0 && (
        <section aria-labelledby="parts-title">
          <h2 id="parts-title">Part by part</h2>
          <div class="scroller board narrow" tabIndex={0} role="group" aria-label="Scores part by part">
            <table>
              <thead>
                <tr>
                  <th scope="col">Part</th>
                  {columns.map((column) => (
                    <th key={column.id} scope="col" class="number">
                      {column.label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {value.parts.map((part) => (
                  <tr key={part.part}>
                    <th scope="row">{part.part}</th>
                    {columns.map((column) => (
                      <td key={column.id} class="number">
                        {formatScore(part.scores[column.id], column)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {(hidden || detailUrl !== null || Object.keys(detail ?? {}).length > 0) && (
        <section aria-labelledby="detail-title">
          <h2 id="detail-title">Detail</h2>
          {hidden ? (
            <>
              <p>The details are shown to whoever handed it in.</p>
              <ReceiptForm submission={value.submission} wrong={trusted} onReceipt={onReceipt} />
            </>
          ) : detailUrl === null ? (
            <Snippet label="Detail" text={formatDetail(detail)} />
          ) : (
            <p>
              <a href={detailUrl}>Download the details</a>, which are too long for this page.
            </p>
          )}
        </section>
      )}
    </>
  );
}

function Failed({ value, trusted, onReceipt }: Sealed) {
  if (value.outcome === null) return null;
  const { output } = value;
  const printed = output ? printedBeside(value.message, output.stdout, output.stderr) : "";
  return (
    <section aria-labelledby="next-title">
      <h2 id="next-title">What to do next</h2>
      {value.message !== null && value.outcome === "invalid" && (
        <div class="message">
          <p>{value.message}</p>
          {value.pointer && (
            <p class="fine">
              at <code>{value.pointer}</code>
            </p>
          )}
        </div>
      )}
      <p>{meaningOf(value.outcome).next}</p>
      {value.outcome === "invalid" && value.message === null && (
        <ReceiptForm submission={value.submission} wrong={trusted} onReceipt={onReceipt} />
      )}
      {printed !== "" && <Snippet label="What the evaluation printed" text={printed} />}
      <p class="labels">
        <a class="button primary" href={submitPath(value.benchmark)}>
          Hand in again
        </a>
        <a class="button" href={boardPath(value.benchmark)}>
          See the board
        </a>
      </p>
    </section>
  );
}

const Receipt = ({ receipt }: { readonly receipt: string }) => (
  <section class="receipt" aria-labelledby="receipt-title">
    <h2 id="receipt-title">Receipt</h2>
    <p>It opens the details and messages of this submission. This tab knows it; keep it to read them elsewhere.</p>
    <p class="receipt-line">
      <code>{receipt}</code> <CopyButton label="the receipt" text={receipt} />
    </p>
  </section>
);

const Facts = ({ value }: { readonly value: SubmissionAnswer }) => (
  <section aria-labelledby="facts-title">
    <h2 id="facts-title">About this submission</h2>
    <dl class="pairs">
      <div>
        <dt>Id</dt>
        <dd>
          <code>{value.submission}</code>
        </dd>
      </div>
      <div>
        <dt>Handed in</dt>
        <dd>{formatMoment(Date.parse(value.submitted_at))}</dd>
      </div>
      {value.signature && (
        <div>
          <dt>Signature</dt>
          <dd>
            <code>{breakAfter(value.signature, "|")}</code>
            {value.outcome === "scored" && (
              <p class="fine">How the score was made, so that anybody can make it again.</p>
            )}
          </dd>
        </div>
      )}
    </dl>
  </section>
);

/** Gives the columns to show: the board's, or what the scores themselves name. */
function columnsFor(value: SubmissionAnswer, head: Head | null): readonly Column[] {
  if (head) return head.metrics;
  return Object.keys(value.scores ?? {}).map((id) => ({
    id,
    label: id,
    unit: null,
    decimals: null,
    direction: "higher",
    primary: false,
  }));
}

const isTied = (value: SubmissionAnswer, head: Head | null): boolean => {
  const row = head ? findRow(head.rows, value.player) : undefined;
  return row !== undefined && row.rank === value.rank && row.tied;
};
