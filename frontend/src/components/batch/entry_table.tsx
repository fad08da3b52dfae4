/** The entries of a batch, and why some have no score. */

import type { FailedEntry, UploadAnswer, UploadedEntry } from "../../api/answers.ts";
import { labelOf } from "../../lib/batch.ts";
import { formatCount } from "../../lib/format.ts";
import { submissionPath } from "../../lib/route.ts";
import { Icon } from "../icons.tsx";

interface FailureProps {
  readonly benchmark: string;
  readonly failures: readonly FailedEntry[];
  /** How many there are, listed or not. */
  readonly count: number;
}

export function FailureTable({ benchmark, failures, count }: FailureProps) {
  if (failures.length === 0) return null;
  return (
    <section aria-labelledby="failures-title">
      <h2 id="failures-title">Without a score</h2>
      {count > failures.length && (
        <p class="fine">
          The first {formatCount(failures.length)} of {formatCount(count)}.
        </p>
      )}
      <div class="scroller board" tabIndex={0} role="group" aria-labelledby="failures-title">
        <table class="fields">
          <thead>
            <tr>
              <th scope="col">Entry</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {failures.map((one, index) => (
              <tr key={index}>
                <th scope="row">
                  <Name benchmark={benchmark} entry={one} />
                  <br />
                  <Status entry={one} />
                </th>
                <td>
                  {one.message}
                  {one.pointer && (
                    <span class="fine">
                      {" "}
                      at <code>{one.pointer}</code>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface EntryProps {
  readonly benchmark: string;
  readonly batch: UploadAnswer;
  /** How many entries stand before this page. */
  readonly start: number;
  /** Goes to the page before or behind; null where there is none. */
  readonly onBack: (() => void) | null;
  readonly onNext: (() => void) | null;
}

export function EntryTable({ benchmark, batch, start, onBack, onNext }: EntryProps) {
  if (batch.page.length === 0) return null;
  return (
    <section aria-labelledby="entries-title">
      <h2 id="entries-title">Every entry</h2>
      <div class="scroller" tabIndex={0} role="group" aria-labelledby="entries-title">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Entry</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            {batch.page.map((one, index) => (
              <tr key={start + index}>
                <th scope="row">
                  <Name benchmark={benchmark} entry={one} />
                </th>
                <td>
                  <Status entry={one} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(onBack || onNext) && (
        <p class="labels">
          <button type="button" class="button small" disabled={!onBack} onClick={() => onBack?.()}>
            <Icon name="left" />
            Previous
          </button>
          <button type="button" class="button small" disabled={!onNext} onClick={() => onNext?.()}>
            Next
            <Icon name="right" />
          </button>
          <span class="fine" role="status">
            {formatCount(start + 1)} to {formatCount(start + batch.page.length)} of {formatCount(batch.entries)}
          </span>
        </p>
      )}
    </section>
  );
}

interface CellProps {
  readonly benchmark: string;
  readonly entry: UploadedEntry;
}

/** An entry's name; it leads to what became of it. */
const Name = ({ benchmark, entry }: CellProps) => (
  <bdi>
    {entry.submission === null ? entry.entry : <a href={submissionPath(benchmark, entry.submission)}>{entry.entry}</a>}
  </bdi>
);

const Status = ({ entry }: Pick<CellProps, "entry">) => {
  const { label, tone } = labelOf(entry.status);
  return <span class={`outcome ${tone}`}>{label}</span>;
};
