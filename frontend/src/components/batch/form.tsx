/** Uploads a batch from the browser: a file, a token, a bar that tells how far it is. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { BenchmarkAnswer } from "../../api/answers.ts";
import { uploadFile, type Mishap } from "../../api/batches.ts";
import { checkBatch, FORMS, MOST_BYTES_OF_A_BATCH, MOST_ENTRIES, namesParts } from "../../lib/batch.ts";
import { formatCount } from "../../lib/format.ts";
import { formatBytes } from "../../lib/result.ts";
import { checkToken, explainRefusal } from "../../lib/token.ts";
import { Faults } from "../form_errors.tsx";
import { FileField } from "../file_field.tsx";
import { Meter } from "../progress_bar.tsx";
import { TokenField } from "../token_field.tsx";

const MISHAPS: Readonly<Record<Mishap, string>> = {
  lost: "The connection was lost, and nothing was handed in. File and token are still here: upload again.",
  late: "The upload began too late: its place was kept for 15 minutes. Upload again.",
  "turned-down": "The file is not what was announced; it may have changed meanwhile. Choose it again, and upload.",
  stopped: "Stopped: nothing was handed in.",
};

interface Props {
  readonly benchmark: BenchmarkAnswer;
  readonly token: string;
  readonly onToken: (token: string) => void;
  /** Told the upload's id once the file is there. */
  readonly onUploaded: (upload: string) => void;
}

export function BatchForm({ benchmark, token, onToken, onUploaded }: Props) {
  const [file, setFile] = useState<File | null>(null);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [share, setShare] = useState<number | null>(null);
  const ending = useRef<AbortController | null>(null);
  const sending = share !== null;
  const open = benchmark.state === "open";

  useEffect(() => () => ending.current?.abort(), []);
  useEffect(() => {
    if (!sending) return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [sending]);

  const take = (chosen: File): void => {
    setFile(chosen);
    setFaults([checkBatch(chosen, benchmark)].filter((one) => one !== null));
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (sending) return;
    const found = [file ? checkBatch(file, benchmark) : "Choose a file.", checkToken(token)];
    const wrong = found.filter((one) => one !== null);
    setFaults(wrong);
    if (!file || wrong.length > 0) return;
    ending.current = new AbortController();
    setShare(0);
    const { signal } = ending.current;
    const end = await uploadFile({ benchmark: benchmark.id, token, file, signal, onProgress: setShare });
    setShare(null);
    if (end.kind === "ok") onUploaded(end.upload);
    else setFaults(end.kind === "refused" ? explainRefusal(end.problem) : [MISHAPS[end.kind]]);
  };

  return (
    <form class="handover" onSubmit={send} noValidate>
      <FileField
        name={file ? `${file.name}, ${formatBytes(file.size)}` : ""}
        wanted="a file"
        accept={FORMS.join()}
        disabled={sending}
        onFile={take}
      />
      <Forms benchmark={benchmark} />
      <TokenField hint="names the player" token={token} disabled={sending} onToken={onToken} />
      <Faults faults={faults} />
      {sending && (
        <div class="field">
          <Meter label="Upload" text={`${Math.floor(share * 100)} %`} total={1} good={share} />
          <p class="fine">
            {Math.floor(share * 100)} % of {formatBytes(file?.size ?? 0)} sent
          </p>
        </div>
      )}
      <p class="unseen" role="status">
        {sending && "Uploading …"}
      </p>
      <p class="labels">
        <button type="submit" class="button primary" disabled={sending || !open}>
          {open ? (sending ? "Uploading …" : "Upload") : "Not open"}
        </button>
        {sending && (
          <button type="button" class="button" onClick={() => ending.current?.abort()}>
            Stop
          </button>
        )}
      </p>
    </form>
  );
}

/** Which files are taken, and how results stand in them. */
const Forms = ({ benchmark }: Pick<Props, "benchmark">) => {
  const { bundle, max_bytes } = benchmark.submissions;
  const line = namesParts(benchmark) ? <code>{'{"part": …, "result": …}'}</code> : "one result";
  return (
    <ul class="rules fine">
      <li>
        <code>.jsonl</code> {line} a line
      </li>
      <li>
        <code>.zip</code> {bundle ? "one result as a whole" : "a JSON file for each result"}
        {!bundle && namesParts(benchmark) && ", in a folder named after its part"}
      </li>
      <li>
        <code>.json</code> {line}, up to {formatBytes(max_bytes)}
      </li>
      <li>
        At most {formatBytes(MOST_BYTES_OF_A_BATCH)} and {formatCount(MOST_ENTRIES)} results
      </li>
    </ul>
  );
};
