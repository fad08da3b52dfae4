/** The one table of submissions: of a player, of a batch, without a score, or in review. */

import type { ComponentChildren } from "preact";

import type { ListedSubmission } from "../api/generated/types.ts";
import { usePartNames } from "../boards/use_boards.ts";
import { mix, say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { Awaited } from "../ui/facts.tsx";
import { FormErrors } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";
import { useNow } from "../ui/hooks/browser.ts";
import { batchPath, submissionPath } from "../ui/lib/paths.ts";
import { playerPath } from "../ui/lib/route.ts";
import { ShortName } from "../ui/player_name.tsx";
import type { ScoreMetric } from "../ui/scores.tsx";
import { formatScores } from "../ui/table_head.tsx";
import { ScrollArea } from "../ui/tables.tsx";
import { Snippet } from "../ui/tabs.tsx";
import { TimeAgo } from "../ui/values.tsx";
import type { Submissions } from "./list.ts";
import { describeStatus, formatOutput } from "./outcomes.ts";
import { fetchResultLink } from "./requests.ts";

type TextColumn = readonly [label: string, read: (each: ListedSubmission) => string];

const [PLAYER, FILE] = [say("Player"), say("File")];
const TEXTS: readonly TextColumn[] = [
  [PLAYER, ({ name }) => name],
  [say("Label"), ({ label }) => label ?? ""],
  [FILE, ({ entry }) => entry ?? ""],
  [say("Part"), ({ part }) => part ?? ""],
];

interface Props {
  readonly benchmark: string;
  /** The board from which the visitor came. */
  readonly board?: string;
  readonly label: string;
  readonly list: Submissions;
  readonly metrics: readonly ScoreMetric[];
  /** A token of an owner, who may download raw results. */
  readonly owner?: string;
  /** Whether it is the list of one batch. */
  readonly isBatch?: boolean;
  /** Whether each has a box of a form to choose it. */
  readonly isChosen?: boolean;
}

export function SubmissionTable({ label, list, metrics, ...props }: Props) {
  const hasParts = list.page?.submissions.some(({ part }) => part != null) ?? false;
  const nameOf = usePartNames(props.benchmark, hasParts);
  if (list.page === null) return <Awaited list={list} />;
  const { submissions } = list.page;
  if (submissions.length === 0) return <p>{say("None.")}</p>;
  const several = new Set(submissions.map(({ player }) => player)).size > 1 || props.owner !== undefined;
  const columns = TEXTS.filter(([name, read]) => (name === PLAYER ? several : submissions.some(read)));
  const scored = submissions.some(({ scores }) => scores != null) ? metrics : [];
  const isExplained = submissions.some(({ message }) => message != null);
  const names = columns.map(([name]) => name);
  const labels = [say("When"), say("Outcome"), ...names, ...(isExplained ? [say("Reason")] : [])];
  return (
    <>
      <p class="fine" role="status">
        {say("{count} submission|{count} submissions", { count: submissions.length })}
      </p>
      <ScrollArea class="board" label={label}>
        <table>
          <thead>
            <tr>
              {labels.map((text) => (
                <th scope="col">{text}</th>
              ))}
              {scored.map(({ id, label: text }) => (
                <th key={id} scope="col" class="number">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {submissions.map((each, index) => (
              <SubmissionRow
                key={each.submission ?? index}
                {...{ ...props, each, columns, scored, isExplained, nameOf }}
                isOnly={submissions.length === 1}
              />
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {list.loadMore && <Button onClick={list.loadMore}>{say("Show more")}</Button>}
    </>
  );
}

interface RowProps extends Omit<Props, "label" | "list" | "metrics"> {
  readonly each: ListedSubmission;
  readonly columns: readonly TextColumn[];
  readonly nameOf: (part: string) => string;
  /** The metrics that have columns. */
  readonly scored: readonly ScoreMetric[];
  /** Whether there is a column of reasons. */
  readonly isExplained: boolean;
  /** Whether the list has no other. */
  readonly isOnly: boolean;
}

function SubmissionRow({ benchmark, board, each, columns, scored, owner, ...props }: RowProps) {
  const time = <TimeAgo at={each.submitted_at} now={useNow()} />;
  const path = each.submission == null ? null : submissionPath(benchmark, each.submission, board);
  const readText = ([name, read]: TextColumn): ComponentChildren => {
    const text = read(each);
    if (name === PLAYER)
      return (
        <a href={playerPath(benchmark, each.player)}>
          <ShortName name={each.name} verified={each.verified} />
        </a>
      );
    if (name !== FILE || path === null || each.batch == null) return <bdi>{props.nameOf(text)}</bdi>;
    return (
      <bdi>
        <a href={props.isBatch ? path : batchPath(benchmark, each.batch, board, each.player)}>{text}</a>
      </bdi>
    );
  };
  return (
    <tr>
      <td class="fine">
        {props.isChosen && (
          <input
            type="checkbox"
            name="submission"
            value={each.submission ?? ""}
            aria-label={each.name}
            checked={props.isOnly}
          />
        )}{" "}
        {path === null ? time : <a href={path}>{time}</a>}
      </td>
      <td>
        <Status each={each} />
      </td>
      {columns.map((column) => (
        <td key={column[0]}>{readText(column)}</td>
      ))}
      {props.isExplained && (
        <td>
          <Reason each={each} />
        </td>
      )}
      {formatScores(scored, each.scores).map((score, index) => (
        <td key={index} class="number">
          {score}
        </td>
      ))}
      {owner !== undefined && each.submission != null && (
        <td>
          <RawResult token={owner} benchmark={benchmark} submission={each.submission} />
        </td>
      )}
    </tr>
  );
}

/** The outcome, or that the submission counts; whether it is the best of its batch, or withdrawn. */
function Status({ each: { status, frozen, counts, best, late, extended, withdrawn } }: Pick<RowProps, "each">) {
  const { label, tone } = frozen ? { label: say("Frozen"), tone: "neutral" } : describeStatus(status);
  return (
    <>
      {counts && <span class="pill good">{say("Counts")}</span>}
      {!counts && (status !== "scored" || counts == null) && <span class={`outcome ${tone}`}>{label}</span>}
      {best && <span class="pill good">{say("Best")}</span>} {late && <span class="pill">{say("Late")}</span>}
      {extended && <span class="pill">{say("Extended")}</span>}
      {withdrawn && (
        <span class="pill" title={withdrawn.reason}>
          {say("Withdrawn")}
        </span>
      )}
    </>
  );
}

/** Why there is no score, and what the script printed. */
function Reason({ each: { message, pointer, output } }: { readonly each: ListedSubmission }) {
  const printed = output ? formatOutput(message, output.stdout, output.stderr) : "";
  return (
    <>
      {message}
      {pointer && <span class="fine"> {mix("at {pointer}", { pointer: <code>{pointer}</code> })}</span>}
      {printed !== "" && (
        <details class="help">
          <summary>{say("Output of the evaluation")}</summary>
          <Snippet label={say("Output of the evaluation")} text={printed} />
        </details>
      )}
    </>
  );
}

interface ResultProps {
  readonly token: string;
  readonly benchmark: string;
  readonly submission: string;
}

/** A button that downloads a raw result. The browser never opens it, whatever it is. */
function RawResult({ token, benchmark, submission }: ResultProps) {
  const { errors, send } = useRequest();
  const download = async (): Promise<void> => {
    const link = await send(fetchResultLink(token, benchmark, submission));
    if (link) location.assign(link.url);
  };
  return (
    <>
      <Button small onClick={download}>
        {say("Download the raw result")}
      </Button>
      <FormErrors errors={errors} />
    </>
  );
}
