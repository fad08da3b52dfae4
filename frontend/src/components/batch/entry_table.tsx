/** The entries of a batch, and why some have no score. */

import type { Failure, UploadedEntry } from "../../api/generated/types.ts";
import { mix, say } from "../../languages/say.ts";
import { describeStatus } from "../../lib/batch.ts";
import { submissionPath } from "../../lib/board/paths.ts";
import { Button } from "../controls.tsx";
import { OutcomeLabel } from "../facts.tsx";
import { Icon } from "../icons.tsx";
import { ScoreCells, ScoreList, type ScoreMetric } from "../scores.tsx";
import { TableHead } from "../table_head.tsx";
import { ScrollArea } from "../tables.tsx";

const LEFT = "M10 3L5 8l5 5";
const RIGHT = "M6 3l5 5-5 5";

interface FailureProps {
  readonly benchmark: string;
  readonly board: string;
  readonly failures: readonly Failure[];
  /** The number of failures, including those that are not listed. */
  readonly count: number;
}

export const FailureTable = ({ benchmark, board, failures, count }: FailureProps) => (
  <section aria-labelledby="failures-title">
    <h2 id="failures-title">{say("Without a score")}</h2>
    {count > failures.length && (
      <p class="fine">{say("The first {shown} of {total}.", { shown: failures.length, total: count })}</p>
    )}
    <ScrollArea class="board" labelledBy="failures-title">
      <table class="fields">
        <TableHead labels={[say("Entry"), say("Reason")]} />
        <tbody>
          {failures.map((failure, index) => (
            <tr key={index}>
              <th scope="row">
                <EntryName benchmark={benchmark} board={board} entry={failure} />
                <br />
                <OutcomeLabel {...describeStatus(failure.status)} />
              </th>
              <td>
                {failure.message}
                {failure.pointer && (
                  <span class="fine"> {mix("at {pointer}", { pointer: <code>{failure.pointer}</code> })}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  </section>
);

interface EntryProps {
  readonly benchmark: string;
  readonly board: string;
  readonly entries: readonly UploadedEntry[];
  readonly metrics: readonly ScoreMetric[];
  /** The metric whose best values come first; null: the order of the batch. */
  readonly sort: string | null;
  readonly onSort: (metric: string | null) => void;
  /** The number of entries before this page. */
  readonly start: number;
  readonly total: number;
  /** Opens the previous or next page; null if there is none. */
  readonly onBack: (() => void) | null;
  readonly onNext: (() => void) | null;
}

type TurningProps = Pick<EntryProps, "entries" | "start" | "total" | "onBack" | "onNext">;

export const EntryTable = ({
  benchmark,
  board,
  entries,
  metrics,
  sort,
  onSort,
  start,
  total,
  ...turning
}: EntryProps) => (
  <section aria-labelledby="entries-title">
    <h2 id="entries-title">{say("Every entry")}</h2>
    <ScrollArea class="board narrow" labelledBy="entries-title">
      <table>
        <TableHead
          labels={[say("Entry"), ...optionalColumns(entries).map(([label]) => label), say("Outcome")]}
          {...{ metrics, sort, onSort }}
        />
        <tbody>
          {entries.map((entry, index) => (
            <tr key={start + index}>
              <th scope="row">
                <EntryName benchmark={benchmark} board={board} entry={entry} />
                {entry.best && (
                  <>
                    {" "}
                    <span class="pill good">{say("Best")}</span>
                  </>
                )}
              </th>
              {optionalColumns(entries).map(([label, read]) => (
                <td key={label}>
                  <bdi>{read(entry)}</bdi>
                </td>
              ))}
              <td>
                <OutcomeLabel {...describeStatus(entry.status)} />
                {entry.withdrawn && (
                  <>
                    {" "}
                    <span class="pill">{say("Withdrawn")}</span>
                  </>
                )}
              </td>
              <ScoreCells metrics={metrics} scores={entry.scores ?? null} />
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
    <Turning {...{ entries, start, total }} {...turning} />
  </section>
);

/** Return the columns that some entry has a value for: their labels, and what reads them. */
const optionalColumns = (entries: readonly UploadedEntry[]) =>
  (
    [
      [say("Label"), (entry) => entry.label],
      [say("Part"), (entry) => entry.part],
    ] as const satisfies readonly Column[]
  ).filter(([, read]) => entries.some(read));

type Column = readonly [string, (entry: UploadedEntry) => string | null | undefined];

/** The buttons for the previous and the next page, if there are any. */
const Turning = ({ entries, start, total, onBack, onNext }: TurningProps) => (
  <>
    {(onBack || onNext) && (
      <p class="labels">
        <Button small disabled={!onBack} onClick={() => onBack?.()}>
          <Icon shape={LEFT} />
          {say("Previous")}
        </Button>
        <Button small disabled={!onNext} onClick={() => onNext?.()}>
          {say("Next")}
          <Icon shape={RIGHT} />
        </Button>
        <span class="fine" role="status">
          {say("{first} to {last} of {total}", { first: start + 1, last: start + entries.length, total })}
        </span>
      </p>
    )}
  </>
);

interface BestProps extends Pick<EntryProps, "benchmark" | "board" | "metrics"> {
  readonly entries: readonly UploadedEntry[];
}

/** The entry that ranks first, or those of each part. */
export const BestEntries = ({ benchmark, board, metrics, entries }: BestProps) => {
  const [only] = entries;
  return (
    <section aria-labelledby="best-title">
      <h2 id="best-title">{say("Best of this batch")}</h2>
      {only && entries.length === 1 ? (
        <>
          <p>
            <EntryName benchmark={benchmark} board={board} entry={only} />
          </p>
          <ScoreList metrics={metrics} scores={only.scores ?? {}} />
        </>
      ) : (
        <ScrollArea class="board narrow" labelledBy="best-title">
          <table>
            <TableHead labels={[say("Part"), say("Entry")]} metrics={metrics} />
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.submission}>
                  <th scope="row">{entry.part}</th>
                  <td>
                    <EntryName benchmark={benchmark} board={board} entry={entry} />
                  </td>
                  <ScoreCells metrics={metrics} scores={entry.scores ?? null} />
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </section>
  );
};

interface NameProps {
  readonly benchmark: string;
  readonly board: string;
  readonly entry: UploadedEntry | Failure;
}

/** An entry's name, with a link to its submission. */
const EntryName = ({ benchmark, board, entry: { entry, submission } }: NameProps) => (
  <bdi>{submission == null ? entry : <a href={submissionPath(benchmark, submission, board)}>{entry}</a>}</bdi>
);
