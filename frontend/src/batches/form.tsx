/** The form for a batch: a file, a token, the progress of the upload. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { BenchmarkView } from "../api/generated/types.ts";
import { mix, say } from "../languages/say.ts";
import { findTaking } from "../submissions/submit/taking.tsx";
import { Button } from "../ui/controls.tsx";
import { FileField, Form, TokenField } from "../ui/forms/fields.tsx";
import { openPage } from "../ui/hooks/navigation.ts";
import { checkToken, explainProblem, formatBytes } from "../ui/lib/checks.ts";
import { listEndings } from "../ui/lib/file_formats.ts";
import { listFiles, onlyVisible, packFolder } from "../ui/lib/folder.ts";
import { batchPath, submissionPath } from "../ui/lib/paths.ts";
import { checkBatch, isInParts, listBatchFormats, MAX_BATCH_BYTES, MAX_ENTRIES, namesParts } from "./files.ts";
import { uploadBatch, uploadParts, type UploadError, type UploadResult } from "./requests.ts";

const ERRORS: Readonly<Record<UploadError, string>> = {
  lost: say(
    "The connection was lost before the site had the file. File and token are still here: upload again. If the last bytes arrive after all, the file is one batch and counts once.",
  ),
  expired: say("The upload started too late: the ticket was valid for 15 minutes only. Upload again."),
  mismatch: say("The file has changed since you chose it. Choose it again, and upload."),
  stopped: say("Stopped: the site does not have the file."),
};

interface Props {
  readonly benchmark: BenchmarkView;
  /** The board from which the visitor came. */
  readonly board: string;
  readonly token: string;
  readonly onToken: (token: string) => void;
}

/** The form; once the file has arrived, its report is opened. */
export function BatchForm({ benchmark, board, token, onToken }: Props) {
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const { errors, setErrors, share, upload, stop } = useUpload(benchmark, board);
  const sending = share !== null;
  const isOpen = findTaking(benchmark) !== null;
  const percent = Math.floor((share ?? 0) * 100);

  const take = (chosen: File): void => {
    setFile(chosen);
    setErrors([]);
    setFault(checkBatch(chosen, benchmark));
  };
  const takeFiles = async (from: FileList | DataTransfer): Promise<void> => {
    const placed = onlyVisible(await listFiles(from));
    const [first] = placed;
    if (!first) return;
    try {
      take(placed.length === 1 ? first.file : await packFolder(placed, first.path.split("/")[0] ?? ""));
    } catch (error) {
      setErrors([(error as Error).message]);
    }
  };
  const send = (): void => {
    // What is wrong with the file stays in its box.
    const problems = [file ? null : say("Choose a file."), checkToken(token)].filter((problem) => problem !== null);
    setErrors(problems);
    if (file && fault === null && problems.length === 0) void upload(file, token);
  };

  return (
    <Form
      action={isOpen ? (sending ? say("Uploading …") : say("Upload")) : say("Not open")}
      disabled={sending || !isOpen}
      errors={errors}
      last={
        <>
          {sending && (
            <div class="field">
              <ProgressBar label={say("Upload")} text={`${percent} %`} total={1} good={share} />
              <p class="fine">{say("{percent} % of {size} sent", { percent, size: formatBytes(file?.size ?? 0) })}</p>
            </div>
          )}
          <p class="unseen" role="status">
            {sending && say("Uploading …")}
          </p>
        </>
      }
      beside={sending && <Button onClick={stop}>{say("Stop")}</Button>}
      onSend={send}
    >
      <FileField
        name={file ? `${file.name}, ${formatBytes(file.size)}` : ""}
        label={say("Choose a file")}
        accept={listEndings(listBatchFormats(benchmark))}
        disabled={sending}
        fault={fault}
        // Where a ZIP is one result, a folder cannot be many.
        {...(benchmark.submissions.takes.includes("zip") ? { onFile: take } : { onFiles: takeFiles })}
      />
      <FormatRules benchmark={benchmark} />
      <TokenField hint={say("names the player")} token={token} disabled={sending} onToken={onToken} />
    </Form>
  );
}

/** Return what uploads a file and opens its report, the share that is sent, what stops it, and why it failed. */
function useUpload(benchmark: BenchmarkView, board: string) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [share, setShare] = useState<number | null>(null);
  const controller = useRef<AbortController | null>(null);
  const sending = share !== null;
  const stop = (): void => controller.current?.abort();
  useEffect(() => stop, []);
  useEffect(() => {
    if (!sending) return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [sending]);
  const upload = async (file: File, token: string): Promise<void> => {
    controller.current = new AbortController();
    setShare(0);
    const { signal } = controller.current;
    const given = { benchmark: benchmark.id, token, file, signal, onProgress: setShare };
    const isLarge = isInParts(file, benchmark);
    const part = namesParts(benchmark) ? file.name.slice(0, file.name.lastIndexOf(".")) : "";
    const sent = isLarge ? uploadParts(given, part) : uploadBatch(given);
    // A file that was moved or changed meanwhile cannot be read.
    const result = await sent.catch((): UploadResult => ({ kind: "lost" }));
    setShare(null);
    if (result.kind === "ok") openPage((isLarge ? submissionPath : batchPath)(benchmark.id, result.upload, board));
    else setErrors(result.kind === "rejected" ? explainProblem(result.problem) : [ERRORS[result.kind]]);
  };
  return { errors, setErrors, share, upload, stop };
}

/** The accepted file formats. */
const FormatRules = ({ benchmark }: Pick<Props, "benchmark">) => {
  const { takes, max_bytes } = benchmark.submissions;
  const isJson = takes.includes("json");
  const hasParts = namesParts(benchmark);
  const wrapper = <code>{'{"part": …, "result": …}'}</code>;
  const size = formatBytes(max_bytes);
  return (
    <ul class="rules fine">
      {isJson && !takes.includes("jsonl") && (
        <li>
          <code>.jsonl</code> {hasParts ? mix("{wrapper} per line", { wrapper }) : say("one result per line")}
        </li>
      )}
      {!takes.includes("zip") && (
        <li>
          <code>.zip</code>{" "}
          {hasParts ? say("a file for each result, in a folder named after its part") : say("a file for each result")}
        </li>
      )}
      <li>
        <code>{listEndings(takes)}</code>{" "}
        {hasParts
          ? say("one result, up to {size}, named after its part", { size })
          : say("one result, up to {size}", { size })}
      </li>
      <li>{say("At most {size} and {count} results", { size: formatBytes(MAX_BATCH_BYTES), count: MAX_ENTRIES })}</li>
    </ul>
  );
};

interface ProgressProps {
  readonly label: string;
  /** The progress in words, for screen readers: `12 of 40`. */
  readonly text: string;
  readonly total: number;
  readonly good: number;
  readonly bad?: number;
}

export const ProgressBar = ({ label, text, total, good, bad = 0 }: ProgressProps) => (
  <div
    class="progress-bar"
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={total}
    aria-valuenow={good + bad}
    aria-valuetext={text}
  >
    <i style={{ flexGrow: good / total }} />
    <i class="bad" style={{ flexGrow: bad / total }} />
  </div>
);
