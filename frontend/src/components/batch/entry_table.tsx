/** The entries of a batch, and why some have no score. */

import type { Failure, UploadedEntry } from "../../api/generated/types.ts";
import { describeStatus } from "../../lib/batch.ts";
import { formatCount } from "../../lib/format.ts";
import { submissionPath } from "../../lib/route.ts";
import { Button } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { ScrollArea, TableHead } from "../tables.tsx";
import { OutcomeLabel } from "../values.tsx";

interface FailureProps {
  readonly benchmark: string;
  readonly failures: readonly Failure[];
  /** The number of failures, including those that are not listed. */
  readonly count: number;
}

export const FailureTable = ({ benchmark, failures, count }: FailureProps) => (
  <section aria-labelledby="failures-title">
    <h2 id="failures-title">Without a score</h2>
    {count > failures.length && (
      <p class="fine">
        The first {formatCount(failures.length)} of {formatCount(count)}.
      </p>
    )}
    <ScrollArea class="board" labelledBy="failures-title">
      <table class="fields">
        <TableHead labels={["Entry", "Reason"]} />
        <tbody>
          {failures.map((failure, index) => (
            <tr key={index}>
              <th scope="row">
                <EntryName benchmark={benchmark} entry={failure} />
                <br />
                <OutcomeLabel {...describeStatus(failure.status)} />
              </th>
              <td>
                {failure.message}
                {failure.pointer && (
                  <span class="fine">
                    {" "}
                    at <code>{failure.pointer}</code>
                  </span>
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
  readonly entries: readonly UploadedEntry[];
  /** The number of entries before this page. */
  readonly start: number;
  readonly total: number;
  /** Opens the previous or next page; null if there is none. */
  readonly onBack: (() => void) | null;
  readonly onNext: (() => void) | null;
}

export const EntryTable = ({ benchmark, entries, start, total, onBack, onNext }: EntryProps) => (
  <section aria-labelledby="entries-title">
    <h2 id="entries-title">Every entry</h2>
    <ScrollArea labelledBy="entries-title">
      <table class="data">
        <TableHead labels={["Entry", "Outcome"]} />
        <tbody>
          {entries.map((entry, index) => (
            <tr key={start + index}>
              <th scope="row">
                <EntryName benchmark={benchmark} entry={entry} />
              </th>
              <td>
                <OutcomeLabel {...describeStatus(entry.status)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
    {(onBack || onNext) && (
      <p class="labels">
        <Button small disabled={!onBack} onClick={() => onBack?.()}>
          <Icon name="left" />
          Previous
        </Button>
        <Button small disabled={!onNext} onClick={() => onNext?.()}>
          Next
          <Icon name="right" />
        </Button>
        <span class="fine" role="status">
          {formatCount(start + 1)} to {formatCount(start + entries.length)} of {formatCount(total)}
        </span>
      </p>
    )}
  </section>
);

interface NameProps {
  readonly benchmark: string;
  readonly entry: UploadedEntry | Failure;
}

/** An entry's name, with a link to its submission. */
const EntryName = ({ benchmark, entry: { entry, submission } }: NameProps) => (
  <bdi>{submission == null ? entry : <a href={submissionPath(benchmark, submission)}>{entry}</a>}</bdi>
);
