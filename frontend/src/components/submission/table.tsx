/** The one table of submissions: of a player, of a batch, without a score, or in review. */

import { useState } from "preact/hooks";

import type { ListedSubmission } from "../../api/generated/types.ts";
import { fetchResultLink } from "../../api/submissions.ts";
import { useNow } from "../../hooks/browser.ts";
import type { Submissions } from "./list.ts";
import { mix, say } from "../../languages/say.ts";
import { fold } from "../../lib/board/fold.ts";
import { batchPath, submissionPath } from "../../lib/board/paths.ts";
import { describeStatus, formatOutput } from "../../lib/outcome.ts";
import { playerPath } from "../../lib/route.ts";
import { Button, SearchField } from "../controls.tsx";
import { OutcomeLabel } from "../facts.tsx";
import { FormErrors, readErrors } from "../fields.tsx";
import { Awaited } from "./awaited.tsx";
import { ShortName } from "../player_name.tsx";
import { ScoreCells, type ScoreMetric } from "../scores.tsx";
import { TableHead, textSort } from "../table_head.tsx";
import { ScrollArea } from "../tables.tsx";
import { Snippet } from "../tabs.tsx";
import { TimeAgo } from "../values.tsx";

type TextColumn = readonly [label: string, read: (each: ListedSubmission) => string];

const [PLAYER, FILE] = [say("Player"), say("File")];
const TEXTS: readonly TextColumn[] = [
  [PLAYER, ({ name }) => name],
  [say("Label"), ({ label }) => label ?? ""],
  [FILE, ({ entry }) => entry ?? ""],
  [say("Part"), ({ part }) => part ?? ""],
];
const order = new Intl.Collator("en", { numeric: true }).compare;

interface Props {
  readonly benchmark: string;
  /** The board from which the visitor came. */
  readonly board?: string;
  readonly label: string;
  readonly list: Submissions;
  readonly metrics: readonly ScoreMetric[];
  /** The titles of parts that have boards. */
  readonly titles?: ReadonlyMap<string, string>;
  /** A token of an owner, who may download raw results. */
  readonly owner?: string;
  /** Whether it is the list of one batch. */
  readonly isBatch?: boolean;
  /** Whether the list can be in order of a metric. */
  readonly isSortable?: boolean;
  /** Whether each has a box of a form to choose it. */
  readonly isChosen?: boolean;
}

export function SubmissionTable({ benchmark, board, label, list, metrics, titles, owner, ...props }: Props) {
  const { isBatch = false, isSortable = false, isChosen = false } = props;
  const [query, setQuery] = useState("");
  const now = useNow();
  if (list.page === null) return <Awaited list={list} />;
  const { submissions } = list.page;
  if (submissions.length === 0) return <p>{say("None.")}</p>;
  const several = new Set(submissions.map(({ player }) => player)).size > 1 || owner !== undefined;
  const columns = TEXTS.filter(([name, read]) => (name === PLAYER ? several : submissions.some(read)));
  const sorted = columns.find(([name]) => textSort(name) === list.sort)?.[1];
  const listed = sorted ? submissions.toSorted((a, b) => order(sorted(a), sorted(b))) : submissions;
  const wanted = fold(query.trim());
  const shown = listed.filter((each) => wanted === "" || columns.some(([, read]) => fold(read(each)).includes(wanted)));
  const scored = submissions.some(({ scores }) => scores != null) ? metrics : [];
  const explained = submissions.some(({ message }) => message != null);
  const counted = say("{count} submission|{count} submissions", { count: listed.length });
  return (
    <>
      <p class="fine" role="status">
        {wanted === "" ? counted : say("{shown} of {all}", { shown: shown.length, all: counted })}
      </p>
      {columns.length > 0 && (
        <div class="toolbar">
          <SearchField
            label={say("Search the submissions")}
            placeholder={say("Label, file or part")}
            value={query}
            onInput={setQuery}
          />
        </div>
      )}
      <ScrollArea class="board" label={label}>
        <table>
          <TableHead
            labels={[
              say("When"),
              say("Outcome"),
              ...columns.map(([name]) => name),
              ...(explained ? [say("Reason")] : []),
            ]}
            sortable={columns.map(([name]) => name)}
            metrics={scored}
            sort={list.sort}
            onSort={(sort) => (isSortable || sort?.startsWith("#") !== false) && list.setSort(sort)}
          />
          <tbody>
            {shown.map((each, index) => (
              <tr key={each.submission ?? index}>
                <td class="when">
                  {isChosen && (
                    <input
                      type="checkbox"
                      name="submission"
                      value={each.submission ?? ""}
                      aria-label={each.name}
                      checked={submissions.length === 1}
                    />
                  )}{" "}
                  {each.submission == null ? (
                    <TimeAgo at={each.submitted_at} now={now} />
                  ) : (
                    <a href={submissionPath(benchmark, each.submission, board)}>
                      <TimeAgo at={each.submitted_at} now={now} />
                    </a>
                  )}
                </td>
                <td>
                  <Status each={each} />
                </td>
                {columns.map(([name, read]) => (
                  <td key={name}>
                    {name === PLAYER ? (
                      <a href={playerPath(benchmark, each.player)}>
                        <ShortName name={each.name} verified={each.verified} />
                      </a>
                    ) : (
                      <bdi>
                        {name === FILE && each.submission != null && each.batch != null ? (
                          <a
                            href={
                              isBatch
                                ? submissionPath(benchmark, each.submission, board)
                                : batchPath(benchmark, each.batch, board)
                            }
                          >
                            {read(each)}
                          </a>
                        ) : (
                          (titles?.get(read(each)) ?? read(each))
                        )}
                      </bdi>
                    )}
                  </td>
                ))}
                {explained && (
                  <td>
                    <Reason each={each} />
                  </td>
                )}
                <ScoreCells metrics={scored} scores={each.scores ?? null} />
                {owner !== undefined && each.submission != null && (
                  <td>
                    <RawResult token={owner} benchmark={benchmark} submission={each.submission} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {list.loadMore && <Button onClick={list.loadMore}>{say("Show more")}</Button>}
    </>
  );
}

/** The outcome, or that the submission counts; whether it is the best of its batch, or withdrawn. */
const Status = ({ each: { status, counts, best, withdrawn } }: { readonly each: ListedSubmission }) => (
  <>
    {counts && <span class="pill good">{say("Counts")}</span>}
    {!counts && (status !== "scored" || counts == null) && <OutcomeLabel {...describeStatus(status)} />}
    {best && <span class="pill good">{say("Best")}</span>}{" "}
    {withdrawn && (
      <span class="pill" title={withdrawn.reason}>
        {say("Withdrawn")}
      </span>
    )}
  </>
);

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
  const [errors, setErrors] = useState<readonly string[]>([]);
  const download = async (): Promise<void> => {
    const fetched = await fetchResultLink(token, benchmark, submission);
    setErrors(readErrors(fetched));
    if (fetched.kind === "ok") location.assign(fetched.value.url);
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
