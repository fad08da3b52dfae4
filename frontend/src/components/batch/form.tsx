/** The form for a batch: a file, a token, the progress of the upload. */

import { useEffect, useRef, useState } from "preact/hooks";

import { uploadBatch, type UploadError } from "../../api/batches.ts";
import type { BenchmarkView } from "../../api/generated/types.ts";
import { openPage } from "../../hooks/navigation.ts";
import { say } from "../../languages/say.ts";
import { checkBatch, listBatchFormats, MAX_BATCH_BYTES, MAX_ENTRIES, namesParts } from "../../lib/batch.ts";
import { checkToken, explainProblem, formatBytes } from "../../lib/checks.ts";
import { formatCount } from "../../lib/format.ts";
import { formatOf, listEndings } from "../../lib/file_formats.ts";
import { batchPath } from "../../lib/route.ts";
import { Button } from "../controls.tsx";
import { FileField, FormErrors, TokenField } from "../fields.tsx";
import { FilePreview } from "../submission/file_preview.tsx";
import { ProgressBar } from "./progress_bar.tsx";

const ERRORS: Readonly<Record<UploadError, string>> = {
  lost:
    "The connection was lost before the site had the file. File and token are still here: upload again. If the last bytes " +
    "arrive after all, the file is one batch and counts once.",
  expired: "The upload started too late: the ticket was valid for 15 minutes only. Upload again.",
  mismatch: "The file has changed since you chose it. Choose it again, and upload.",
  stopped: "Stopped: the site does not have the file.",
};

interface Props {
  readonly benchmark: BenchmarkView;
  /** The board from which the visitor came. */
  readonly board: string;
  readonly token: string;
  readonly onToken: (token: string) => void;
  /** The upload that repeated an earlier one, whose file may be counted again. */
  readonly repeated?: string;
}

/** The file that this page uploaded last, in memory only. */
let last: { readonly upload: string; readonly file: File } | null = null;

/** The form; once the file has arrived, its report is opened. */
export function BatchForm({ benchmark, board, token, onToken, repeated }: Props) {
  const [file, setFile] = useState<File | null>(repeated && last?.upload === repeated ? last.file : null);
  const [again, setAgain] = useState(false);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [share, setShare] = useState<number | null>(null);
  const controller = useRef<AbortController | null>(null);
  const sending = share !== null;
  const isOpen = benchmark.state === "open";
  const { takes } = benchmark.submissions;
  const format = file && formatOf(file.name);

  useEffect(() => () => controller.current?.abort(), []);
  useEffect(() => {
    if (!sending) return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [sending]);

  const take = (chosen: File): void => {
    setFile(chosen);
    setErrors([checkBatch(chosen, benchmark)].filter((problem) => problem !== null));
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (sending) return;
    const problems = [file ? checkBatch(file, benchmark) : "Choose a file.", checkToken(token)].filter(
      (problem) => problem !== null,
    );
    setErrors(problems);
    if (!file || problems.length > 0) return;
    controller.current = new AbortController();
    setShare(0);
    const { signal } = controller.current;
    const result = await uploadBatch({ benchmark: benchmark.id, token, file, again, signal, onProgress: setShare });
    setShare(null);
    if (result.kind === "ok") {
      last = { upload: result.upload, file };
      openPage(batchPath(benchmark.id, result.upload, board));
    } else setErrors(result.kind === "rejected" ? explainProblem(result.problem) : [ERRORS[result.kind]]);
  };

  return (
    <form class="submit-form" onSubmit={send} noValidate>
      <FileField
        name={file ? `${file.name}, ${formatBytes(file.size)}` : ""}
        label={say("Choose a file")}
        accept={listEndings(listBatchFormats(benchmark))}
        disabled={sending}
        onFile={take}
      />
      {file && format && takes.includes(format) && format !== "json" && <FilePreview file={file} format={format} />}
      <FormatRules benchmark={benchmark} />
      <TokenField hint="names the player" token={token} disabled={sending} onToken={onToken} />
      {repeated && (
        <label>
          <input
            type="checkbox"
            checked={again}
            disabled={sending}
            onChange={(event) => setAgain(event.currentTarget.checked)}
          />{" "}
          Count it again
        </label>
      )}
      <FormErrors errors={errors} />
      {sending && (
        <div class="field">
          <ProgressBar label="Upload" text={`${Math.floor(share * 100)} %`} total={1} good={share} />
          <p class="fine">
            {Math.floor(share * 100)} % of {formatBytes(file?.size ?? 0)} sent
          </p>
        </div>
      )}
      <p class="unseen" role="status">
        {sending && "Uploading …"}
      </p>
      <p class="labels">
        <button type="submit" class="button primary" disabled={sending || !isOpen}>
          {isOpen ? (sending ? "Uploading …" : "Upload") : "Not open"}
        </button>
        {sending && <Button onClick={() => controller.current?.abort()}>Stop</Button>}
      </p>
    </form>
  );
}

/** The accepted file formats. */
const FormatRules = ({ benchmark }: Pick<Props, "benchmark">) => {
  const { takes, max_bytes } = benchmark.submissions;
  const [one, isJson] = [takes.filter((format) => format !== "json"), takes.includes("json")];
  const item = namesParts(benchmark) ? <code>{'{"part": …, "result": …}'}</code> : "one result";
  return (
    <ul class="rules fine">
      {isJson && !takes.includes("jsonl") && (
        <li>
          <code>.jsonl</code> {item} per line
        </li>
      )}
      {!takes.includes("zip") && (
        <li>
          <code>.zip</code> a file for each result
          {namesParts(benchmark) && ", in a folder named after its part"}
        </li>
      )}
      {isJson && (
        <li>
          <code>.json</code> {item}, up to {formatBytes(max_bytes)}
        </li>
      )}
      {one.length > 0 && (
        <li>
          <code>{listEndings(one)}</code> one result as a whole, up to {formatBytes(max_bytes)}
          {namesParts(benchmark) && ", named after its part"}
        </li>
      )}
      <li>
        At most {formatBytes(MAX_BATCH_BYTES)} and {formatCount(MAX_ENTRIES)} results
      </li>
    </ul>
  );
};
