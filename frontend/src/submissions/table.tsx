/** The one table of submissions: of a player, of a batch, without a score, or in review. */

import type { ComponentChildren } from "preact";

import type { ListedSubmission, ResultLink } from "../api/generated/types.ts";
import { get, submissionUrl } from "../api/views.ts";
import { usePartNames } from "../boards/use_boards.ts";
import { mix, say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { Awaited } from "../ui/facts.tsx";
import { FormErrors } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";
import { batchPath, submissionPath } from "../ui/lib/paths.ts";
import { playerPath } from "../ui/lib/route.ts";
import { ShortName } from "../ui/player_name.tsx";
import type { ScoreMetric } from "../ui/scores.tsx";
import { formatScores, numbers, Table } from "../ui/table_head.tsx";
import { Snippet } from "../ui/tabs.tsx";
import { TimeAgo } from "../ui/values.tsx";
import type { Submissions } from "./requests.ts";
import { describeStatus, formatOutput } from "./outcomes.ts";

type TextColumn = readonly [label: string, read: (each: ListedSubmission) => string];

const [PLAYER, FILE, DOWNLOAD] = [say("Player"), say("File"), say("Download the raw result")];
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

export function SubmissionTable({ benchmark, board, label, list, metrics, owner, isBatch, isChosen }: Props) {
  const hasParts = list.page?.submissions.some(({ part }) => part != null) ?? false;
  const nameOf = usePartNames(benchmark, hasParts);
  if (list.page === null) return <Awaited list={list} />;
  const { submissions } = list.page;
  if (submissions.length === 0) return <p>{say("None.")}</p>;
  const several = new Set(submissions.map(({ player }) => player)).size > 1 || owner !== undefined;
  const columns = TEXTS.filter(([name, read]) => (name === PLAYER ? several : submissions.some(read)));
  const scored = submissions.some(({ scores }) => scores != null) ? metrics : [];
  const isExplained = submissions.some(({ message }) => message != null);
  const pathOf = ({ submission }: ListedSubmission) =>
    submission == null ? null : submissionPath(benchmark, submission, board);
  const readText = (each: ListedSubmission, [name, read]: TextColumn): ComponentChildren => {
    const [text, path] = [read(each), pathOf(each)];
    if (name === PLAYER)
      return (
        <a href={playerPath(benchmark, each.player)}>
          <ShortName name={each.name} verified={each.verified} />
        </a>
      );
    if (name !== FILE || path === null || each.batch == null) return <bdi>{nameOf(text)}</bdi>;
    return (
      <bdi>
        <a href={isBatch ? path : batchPath(benchmark, each.batch, board, each.player)}>{text}</a>
      </bdi>
    );
  };
  return (
    <>
      <p class="fine" role="status">
        {say("{count} submission|{count} submissions", { count: submissions.length })}
      </p>
      <Table
        class="board"
        label={label}
        columns={[
          { label: say("When"), class: "fine" },
          say("Outcome"),
          ...columns.map(([name]) => name),
          ...(isExplained ? [say("Reason")] : []),
          ...scored.map((metric) => numbers(metric.label)),
          ...(owner === undefined ? [] : [{ label: <span class="unseen">{DOWNLOAD}</span> }]),
        ]}
        name={-1}
        keys={submissions.map(({ submission }, index) => submission ?? index)}
        rows={submissions.map((each) => [
          <>
            {isChosen && (
              <input
                type="checkbox"
                name="submission"
                value={each.submission ?? ""}
                aria-label={each.name}
                checked={submissions.length === 1}
              />
            )}{" "}
            <Linked path={pathOf(each)}>
              <TimeAgo at={each.submitted_at} />
            </Linked>
          </>,
          <Status each={each} />,
          ...columns.map((column) => readText(each, column)),
          ...(isExplained ? [<Reason each={each} />] : []),
          ...formatScores(scored, each.scores),
          ...(owner === undefined
            ? []
            : [each.submission != null && <RawResult token={owner} submission={each.submission} {...{ benchmark }} />]),
        ])}
      />
      {list.loadMore && <Button onClick={list.loadMore}>{say("Show more")}</Button>}
    </>
  );
}

/** A link where there is a page. */
const Linked = ({ path, children }: { readonly path: string | null; readonly children: ComponentChildren }) =>
  path === null ? children : <a href={path}>{children}</a>;

/** The outcome, or that the submission counts; whether it is the best of its batch, or withdrawn. */
function Status({
  each: { status, frozen, counts, best, late, extended, withdrawn },
}: {
  readonly each: ListedSubmission;
}) {
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
    const link = await send(get<ResultLink>(`${submissionUrl(benchmark, submission)}/result?link=true`, token));
    if (link) location.assign(link.url);
  };
  return (
    <>
      <Button small onClick={download}>
        {DOWNLOAD}
      </Button>
      <FormErrors errors={errors} />
    </>
  );
}
