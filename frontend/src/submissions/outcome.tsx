/** What came of a submission besides its rank: its scores, details, and why it has none or waits. */

import type { ComponentChildren } from "preact";

import type { Head, SubmissionView } from "../api/generated/types.ts";
import { spellRank } from "../boards/rows/ranks.ts";
import { isTakenOver } from "../boards/table/marks.tsx";
import { usePartNames } from "../boards/use_boards.ts";
import { locale, mix, say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { Fact } from "../ui/facts.tsx";
import { saveFile } from "../ui/lib/download.ts";
import { formatAgo, formatCount, formatWithUnit, MISSING } from "../ui/lib/format.ts";
import { NAMELESS } from "../ui/lib/guests.ts";
import { boardPath, submitPath } from "../ui/lib/route.ts";
import { ScoreList, type ScoreMetric } from "../ui/scores.tsx";
import { formatScores, numbers, Table } from "../ui/table_head.tsx";
import { Share, Snippet } from "../ui/tabs.tsx";
import { useBenchmarkState } from "../ui/values.tsx";
import { countUnknownLabels, formatDetail, formatOutput, MEANINGS, type NumberTable, splitDetail } from "./outcomes.ts";

/** Return whether what only its player and owners may see is missing. */
export function hidesDetails({ outcome, message, scores, detail, detail_url, parts }: SubmissionView): boolean {
  if (outcome === "invalid") return message == null;
  // No receipt opens what a frozen board hides.
  if (scores == null) return false;
  // With several parts, each part has its own detail, which this page does not show.
  return outcome === "scored" && detail == null && detail_url == null && (parts?.length ?? 0) < 2;
}

interface StateProps {
  readonly value: SubmissionView;
  readonly metrics: readonly ScoreMetric[];
  /** When the rank follows, if the board does not show the result yet. */
  readonly follows: "soon" | "later" | null;
}

/** Return what came of a submission in a few words, and in some sentences what that means; it has no rank. */
export function describeState({ value, metrics, follows }: StateProps): readonly [title: string, text: string] {
  const { outcome, withdrawn, late, in_review, frozen, scores, would_rank, players } = value;
  if (withdrawn) return [say("Withdrawn"), say("It counts on no board any more, but stays on record.")];
  if (outcome == null && value.runner) {
    const { seen_at } = value.runner;
    const ago = seen_at && formatAgo(Date.parse(seen_at), Date.now());
    const seen = ago ? say("It was last seen {ago}.", { ago }) : say("It was not seen yet.");
    return [say("Waits for the owner’s machine"), `${seen} ${say("The result is stored; this page updates itself.")}`];
  }
  if (outcome == null) {
    const waits = say("The result is stored. It is usually scored within seconds; this page updates itself.");
    return [say("Waiting to be scored"), waits];
  }
  const meaning = MEANINGS[outcome];
  const primary = metrics.find((metric) => metric.primary) ?? metrics[0];
  const amount = primary && scores ? `${formatWithUnit(scores[primary.id], primary)} ${primary.label}` : meaning.label;
  // A frozen board holds it back, but will never count it.
  if (late && outcome === "scored") return [amount, say("Late: it came after the close, and is on no board.")];
  if (in_review && frozen) {
    const until = scores
      ? say("Until then only its player and the owner see its scores.")
      : say("Until then only the owner sees its scores.");
    return [say("Valid"), `${say("The board is frozen: this counts once the board shows what came.")} ${until}`];
  }
  if (in_review) {
    const until = say("Until it is accepted, it is on no board, and only its player and the owner see its scores.");
    return [say("In review"), `${say("The owner looks at results like this one before they count.")} ${until}`];
  }
  if (outcome !== "scored") return [meaning.label, meaning.explanation ?? ""];
  if (value.player === NAMELESS) {
    const rank = would_rank == null ? null : spellRank(would_rank, false);
    const why = say("Results without a name are scored and counted, but have no row.");
    if (rank === null || players == null) return [amount, why];
    return [
      say("Would be {rank} of {players}", { rank, players: players + 1 }),
      `${say("Not on the board: give a name.")} ${why}`,
    ];
  }
  if (follows === null) return [amount, say("It is not on the board.")];
  const when =
    follows === "soon" ? say("The rank follows in a moment.") : say("Reload this page later to see the rank.");
  return [amount, `${say("The board does not show this result yet.")} ${when}`];
}

interface ActionsProps {
  readonly value: SubmissionView;
  readonly head: Head | null;
  /** The board from which the visitor came. */
  readonly at: string;
}

/** What comes next: to share a rank, and to try again. */
export function Actions({ value, head, at }: ActionsProps) {
  const isOpen = useBenchmarkState(head?.opens ?? null, head?.closes ?? null) === "open";
  const [play] = head?.links ?? [];
  const isShown = value.rank != null && !value.withdrawn;
  return (
    <p class="labels acts">
      {isShown && <Share />}
      {isShown && (
        <Button href={`/api/benchmarks/${value.benchmark}/rows.png?submission=${value.submission}`}>
          {say("Picture")}
        </Button>
      )}
      {isOpen && !isTakenOver(value.submission) && (
        <Button primary={!isShown} href={play?.url ?? submitPath(value.benchmark, at)}>
          {play?.label ?? say("Hand in again")}
        </Button>
      )}
      <Button href={boardPath(value.benchmark, at)}>{say("See the board")}</Button>
    </p>
  );
}

/** The scores of this run, the best before it, and how many tries are left. */
export function Scores({ value, metrics }: Pick<StateProps, "value" | "metrics">) {
  const { scores, parts, detail, personal_best: best, quota_left: left } = value;
  const nameOf = usePartNames(value.benchmark, (parts?.length ?? 0) > 0);
  const unknown = countUnknownLabels(parts?.length ? parts.map((each) => each.detail) : [detail]);
  const primary = metrics.find((metric) => metric.primary);
  const [now, before] = primary ? [best?.scores[primary.id], best?.before?.[primary.id]] : [];
  return (
    <section aria-label={say("Scores")}>
      {parts?.length === 1 && <b>{nameOf(parts[0]?.part ?? "")}</b>}
      <ScoreList metrics={metrics} scores={scores ?? {}}>
        {primary && before != null && (
          <Fact label={say("Best before")}>
            {formatWithUnit(before, primary)}
            {now != null && now !== before && (
              <span class="delta up"> ▲{formatWithUnit(Math.abs(now - before), primary)}</span>
            )}
          </Fact>
        )}
        {left != null && <Fact label={say("Tries left")}>{formatCount(left)}</Fact>}
      </ScoreList>
      {unknown > 0 && (
        <p class="fine">
          {say(
            "{count} row has a label that the ground truth lacks: check how it is spelled.|{count} rows have labels that the ground truth lacks: check how they are spelled.",
            { count: unknown },
          )}
        </p>
      )}
      {parts && parts.length > 1 && (
        <Table
          class="board"
          label={say("Scores of the parts")}
          columns={[say("Part"), ...metrics.map(({ label }) => numbers(label))]}
          rows={parts.map((each) => [nameOf(each.part), ...formatScores(metrics, each.scores)])}
        />
      )}
    </section>
  );
}

/** What explains the scores, for those who may see it; of a row of an earlier board its link and its note. */
export function Details({ value: { submission, detail, detail_url } }: Pick<StateProps, "value">) {
  if (detail_url == null && Object.keys(detail ?? {}).length === 0) return null;
  if (isTakenOver(submission)) {
    const { link, note } = (detail ?? {}) as { readonly link?: string; readonly note?: string };
    return (
      <p>
        {note}{" "}
        {link && (
          <a href={link} rel="noreferrer nofollow">
            {link}
          </a>
        )}
      </p>
    );
  }
  return (
    <details class="help">
      <summary>{say("Detail")}</summary>
      {detail_url == null ? (
        <Detail detail={detail ?? {}} />
      ) : (
        <p>
          {mix("{link}, which are too long for this page.", {
            link: <a href={detail_url}>{say("Download the details")}</a>,
          })}
        </p>
      )}
    </details>
  );
}

/** Files to save, tables of numbers, and the rest as JSON. */
function Detail({ detail }: { readonly detail: Readonly<Record<string, unknown>> }) {
  const { files, tables, rest } = splitDetail(detail);
  return (
    <>
      {tables.map((table) => (
        <Numbers key={table.name} {...table} />
      ))}
      {Object.keys(rest).length > 0 && <Snippet label={say("Detail")} text={formatDetail(rest)} />}
      {files.length > 0 && (
        <p class="labels">
          {files.map(([name, content]) => (
            <Button key={name} onClick={() => saveFile(name, "application/json", JSON.stringify(content, null, 2))}>
              {say("Download {file}", { file: name })}
            </Button>
          ))}
        </p>
      )}
    </>
  );
}

const Numbers = ({ name, columns, rows }: NumberTable) => (
  <Table
    class="board"
    label={name}
    columns={[name, ...columns.map(numbers)]}
    rows={Object.entries(rows).map(([row, cells]) => [
      row,
      ...columns.map((id) => cells[id]?.toLocaleString(locale, { maximumFractionDigits: 3 }) ?? MISSING),
    ])}
  />
);

/** Why a result has no score, and who must act. */
export function Failed({ value: { outcome, message, pointer, output } }: Pick<StateProps, "value">): ComponentChildren {
  if (outcome == null || outcome === "scored") return null;
  const printed = output ? formatOutput(message, output.stdout, output.stderr) : "";
  return (
    <section aria-label={say("What to do next")}>
      {message != null && outcome === "invalid" && (
        <div class="message">
          <p>{message}</p>
          {pointer && <p class="fine">{mix("at {pointer}", { pointer: <code>{pointer}</code> })}</p>}
        </div>
      )}
      <p>{MEANINGS[outcome].next}</p>
      {printed !== "" && <Snippet label={say("Output of the evaluation")} text={printed} />}
    </section>
  );
}
