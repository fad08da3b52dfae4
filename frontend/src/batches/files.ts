/** Checks of a batch before it is uploaded, and its report in words. */

import type { BenchmarkView, ResultFormatName, UploadView } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { describeSize } from "../ui/lib/checks.ts";
import { formatOf, listEndings } from "../ui/lib/file_formats.ts";

export const MAX_BATCH_BYTES = 1_000_000_000;
const MAX_RESULT_BYTES = 20_000_000;
export const MAX_ENTRIES = 10_000;

type Rules = Pick<BenchmarkView, "submissions" | "parts" | "scorer">;

/** Return the formats of a batch file: those of one result, and those of many. */
export function listBatchFormats({ submissions: { takes } }: Pick<Rules, "submissions">): readonly ResultFormatName[] {
  return [...new Set<ResultFormatName>([...(takes.includes("json") ? (["jsonl"] as const) : []), "zip", ...takes])];
}

/** Return what is wrong with the name or size of a batch file, or null. */
export function checkBatch(file: Pick<File, "name" | "size">, rules: Rules): string | null {
  const [format, formats] = [formatOf(file.name), listBatchFormats(rules)];
  if (format === undefined || !formats.includes(format)) return describeWrongFormat(file.name, formats);
  if (file.size === 0) return say("{file} is empty.", { file: file.name });
  const { takes, max_bytes } = rules.submissions;
  const isSingle = takes.includes(format);
  const limit = isSingle ? max_bytes : MAX_BATCH_BYTES;
  if (file.size <= limit) return null;
  const advice = isSingle
    ? say("A single result cannot be larger.")
    : say("Split the batch, and upload the pieces one by one.");
  return `${describeSize(file, limit)} ${advice}`;
}

/** Return whether a file is one result that only a list of its parts can be. */
export function isInParts({ name, size }: Pick<File, "name" | "size">, { submissions: { takes } }: Rules): boolean {
  const format = formatOf(name);
  return size > MAX_RESULT_BYTES && format !== undefined && takes.includes(format);
}

/** Return that a file has none of some formats. */
export const describeWrongFormat = (file: string, formats: readonly ResultFormatName[]): string =>
  say("{file} is not a {endings} file. Choose another file.", { file, endings: listEndings(formats) });

/** Return whether each result must name its part, because one part is scored at a time. */
export const namesParts = ({ scorer, parts }: Pick<Rules, "scorer" | "parts">): boolean =>
  (scorer === "script" || scorer === "fields") && parts.length > 0;

/** Return how many entries ended without a score. */
export const countFailed = (batch: UploadView): number =>
  batch.refused + batch.invalid + batch.evaluator_error + batch.internal_error;

/** Return what it means that a file is a batch that exists. */
export function describeRepetition(batch: UploadView): string {
  if (batch.withdrawn === 0)
    return say(
      "The report below is that batch, and nothing of it counts twice. Under another name the file counts again.",
    );
  return say(
    "The report below is that batch. What was withdrawn of it stays withdrawn. Under another name the file counts again.",
  );
}

/** Return the state of a batch in a sentence or two. */
export function describeBatch(batch: UploadView): string {
  switch (batch.status) {
    case "waiting":
      return say("No file has arrived yet. If the upload was interrupted, upload the file again.");
    case "processing":
      return say("The file has arrived and is being read. This page updates itself.");
    case "scoring":
      return say("The file has been read. Its results are being scored; this page updates itself.");
    case "done":
      return describeFinished(batch);
  }
}

function describeFinished(batch: UploadView): string {
  if (batch.state === "quarantined") return say("The whole file was refused: nothing in it is scored.");
  if (batch.state === "internal_error") {
    return say("We could not read the whole file. This is not your fault, and we have kept the file. Try again later.");
  }
  const failed = countFailed(batch);
  if (batch.entries === 0) return say("The file contains no result.");
  const others = say("{scored} scored, {failed} without a score.", { scored: batch.scored, failed });
  if (batch.in_review > 0) {
    const waiting = say("{count} in review: waiting for the owner’s look, and on no board until then.", {
      count: batch.in_review,
    });
    return batch.in_review === batch.entries ? waiting : `${waiting} ${others}`;
  }
  if (failed === 0) return say("The result is scored.|All {count} results are scored.", { count: batch.entries });
  return others;
}
