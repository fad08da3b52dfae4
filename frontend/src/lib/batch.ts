/** What a browser can check of a batch before it is sent, and what its report says in words. */

import type { BenchmarkAnswer, EntryStatus, FailedEntry, UploadAnswer, UploadedEntry } from "../api/answers.ts";
import { writeCsv } from "./cells.ts";
import { formatCount, formatPlural } from "./format.ts";
import { meaningOf } from "./outcome.ts";
import { formatBytes } from "./result.ts";

export const FORMS = [".jsonl", ".zip", ".json"];
export const MOST_BYTES_OF_A_BATCH = 1_000_000_000;
export const MOST_ENTRIES = 10_000;
// Around a result of a part stands {"part": …, "result": …}.
const WRAPPER_BYTES = 1_000;

type Rules = Pick<BenchmarkAnswer, "submissions" | "parts" | "scorer">;

/** Says what is wrong with a file as a batch, or null; what is in it is judged by the server. */
export function checkBatch(file: Pick<File, "name" | "size">, rules: Rules): string | null {
  const form = FORMS.find((one) => file.name.toLowerCase().endsWith(one));
  if (form === undefined) return `${file.name} is none of ${FORMS.join(", ")}. Choose another file, or rename it.`;
  if (file.size === 0) return `${file.name} is empty.`;
  const { bundle, max_bytes } = rules.submissions;
  const isOne = form === ".json" || (form === ".zip" && bundle);
  const limit = isOne ? max_bytes + (namesParts(rules) ? WRAPPER_BYTES : 0) : MOST_BYTES_OF_A_BATCH;
  if (file.size <= limit) return null;
  const way = isOne ? "A result can be no larger." : "Cut the batch, and upload its pieces one after another.";
  return `${file.name} has ${formatBytes(file.size)}; at most ${formatBytes(limit)} are taken. ${way}`;
}

/** Tells whether each result of a batch must name its part. */
export const namesParts = ({ scorer, parts }: Pick<Rules, "scorer" | "parts">): boolean =>
  scorer === "script" && parts.length > 0;

/** Gives how many entries have no score, and will have none. */
export const countFailed = (batch: UploadAnswer): number =>
  batch.refused + batch.invalid + batch.evaluator_error + batch.internal_error;

/** Tells how a batch stands, in a sentence or two. */
export function tellBatch(batch: UploadAnswer): string {
  switch (batch.status) {
    case "waiting":
      return "Nothing has come yet. If the upload was broken off, upload the file again.";
    case "processing":
      return "The file is here, and is being read. This page looks again by itself.";
    case "scoring":
      return "The file is read. Its results are scored one after another; this page looks again by itself.";
    case "done":
      return tellEnd(batch);
  }
}

function tellEnd(batch: UploadAnswer): string {
  if (batch.state === "quarantined") return "The file was refused as a whole: nothing of it is scored.";
  if (batch.state === "internal_error") {
    return "We could not read the file to its end. This is not your fault, and the file is kept. Try again later.";
  }
  const failed = countFailed(batch);
  if (batch.entries === 0) return "The file holds no result.";
  if (failed === 0) {
    return batch.entries === 1 ? "The result is scored." : `All ${formatCount(batch.entries)} results are scored.`;
  }
  const verb = failed === 1 ? "has" : "have";
  return `${formatCount(batch.scored)} of ${formatPlural(batch.entries, "result")} ${batch.scored === 1 ? "is" : "are"} scored; ${formatCount(failed)} ${verb} no score.`;
}

/** Gives what a status is called, and how it is coloured. */
export function labelOf(status: EntryStatus): { readonly label: string; readonly tone: string } {
  if (status === "queued") return { label: "Waiting", tone: "neutral" };
  return status === "refused" ? { label: "Refused", tone: "bad" } : meaningOf(status);
}

/** Gives the report as CSV: a line for each entry, with why it has no score where that is known. */
export function formatReport(entries: readonly UploadedEntry[], failures: readonly FailedEntry[]): string {
  const whys = new Map(failures.map((one) => [one.entry, one]));
  const lines = entries.map(({ entry, status, submission }) => {
    const why = whys.get(entry);
    return [entry, status, submission ?? "", why?.message ?? "", why?.pointer ?? ""];
  });
  return writeCsv([["entry", "status", "submission", "message", "pointer"], ...lines]);
}
