/** What the form for one result does: it reads a file, checks what was entered, and sends it. */

import { useRef, useState } from "preact/hooks";

import { fetchJson } from "../../api/client.ts";
import type { Accepted, BenchmarkView, Problem, ResultFormatName } from "../../api/generated/types.ts";
import { authorize } from "../../api/views.ts";
import { describeWrongFormat, namesParts } from "../../batches/files.ts";
import { say } from "../../languages/say.ts";
import {
  checkName,
  checkResult,
  checkToken,
  describeSize,
  explainProblem,
  isPlayerKey,
  makeRandomDigits,
} from "../../ui/lib/checks.ts";
import { useDraft } from "../../ui/forms/draft.ts";
import { formatOf, MEDIA_TYPES, NOT_UTF8, readText } from "../../ui/lib/file_formats.ts";
import { openPage } from "../../ui/hooks/navigation.ts";
import { submissionPath } from "../../ui/lib/paths.ts";
import { expected, keptKey, keptName, receiptOf } from "../../ui/hooks/storage.ts";

const OFFLINE = say(
  "You seem to be offline. Nothing was sent, and the result is still here: hand it in when you are connected again.",
);
const UNREACHABLE = say("The server did not answer, or is busy. Nothing is lost: try again in a moment.");

/** What is wrong, and with which field; null if with none. */
type Fault = readonly [field: string | null, text: string];

export interface Sending {
  readonly benchmark: BenchmarkView;
  /** The board from which the visitor came; a part of that name is chosen. */
  readonly board: string;
  /** The largest result in bytes. */
  readonly limit: number;
  readonly token: string;
}

/** Return what was entered into the form, what changes it, reads a file and sends it, and what is wrong. */
export function useSending({ benchmark, board, limit, token }: Sending) {
  const [draft, change] = useDraft(
    benchmark.id,
    benchmark.parts.includes(board) ? board : null,
    namesParts(benchmark) ? (benchmark.parts[0] ?? "") : "",
  );
  const [playerKey, setPlayerKey] = useState(() => keptKey.find() ?? `player_${makeRandomDigits()}`);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [fileFault, setFileFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  // Sending the same content again uses the same key, so a retry after a lost answer is no second submission.
  const lastRequest = useRef({ content: "", key: "" });
  const { body, upload } = draft;
  const [player, label] = [draft.player.trim(), draft.label.trim()];
  const { takes, anonymous } = benchmark.submissions;
  const typed = takes[0] ?? "json";
  const format = (upload && formatOf(upload.name)) ?? typed;
  const isOwned = anonymous && token === "" && player !== "";

  const read = async (file: File): Promise<void> => {
    const { fault, text } = await readFile(file, takes, limit);
    setFaults([]);
    setFileFault(fault);
    change({ file: file.name, body: text ?? "", upload: fault === null && text === null ? file : null });
  };
  const enter = (text: string, forgetsFile = fileFault !== null): void => {
    setFileFault(null);
    change({ body: text, ...(forgetsFile ? { file: "" } : {}) });
  };
  const send = async (): Promise<void> => {
    if (fileFault !== null) return setFaults([["file", fileFault]]);
    const key = say("A player key is player_ and 32 digits. Copy the whole key.");
    const checked: readonly (readonly [string, string | null])[] = [
      ["body", upload ? null : checkResult(body, limit, typed === "json")],
      ["player", checkName(player)],
      ["key", isOwned && !isPlayerKey(playerKey) ? key : null],
      ["token", token !== "" || !anonymous ? checkToken(token) : null],
    ];
    const problems = checked.filter((fault): fault is readonly [string, string] => fault[1] !== null);
    setFaults(problems);
    if (problems.length > 0) return;
    // The token says who played: name and kind are rejected beside it. The key makes a name the visitor's own.
    const about = { part: draft.part, label, ...(token === "" ? { kind: draft.kind, player } : {}) };
    const query = new URLSearchParams(Object.entries(about).filter(([, text]) => text !== ""));
    const url = `/api/benchmarks/${benchmark.id}/submissions?${query}`;
    const headers = { "Content-Type": MEDIA_TYPES[format], ...authorize(token || (player && playerKey) || null) };
    const content = JSON.stringify([url, headers, upload ? [upload.name, upload.size, upload.lastModified] : body]);
    if (lastRequest.current.content !== content) lastRequest.current = { content, key: makeRandomDigits() };
    if (isOwned) keptKey.keep(playerKey);
    setBusy(true);
    const fetched = await fetchJson<Accepted>(url, {
      method: "POST",
      body: upload ?? body,
      headers: { ...headers, "Idempotency-Key": lastRequest.current.key },
    });
    setBusy(false);
    if (fetched.kind === "rejected") {
      return setFaults(explainProblem(fetched.problem).map((text) => [findField(fetched.problem), text]));
    }
    if (fetched.kind !== "ok") return setFaults([[null, navigator.onLine ? UNREACHABLE : OFFLINE]]);
    const { submission, receipt } = fetched.value;
    receiptOf(submission).keep(receipt);
    expected.keep(benchmark.id, submission);
    if (token === "") keptName.keep(player);
    openPage(submissionPath(benchmark.id, submission, board));
  };
  return { draft, change, playerKey, setPlayerKey, isOwned, typed, faults, fileFault, busy, read, enter, send };
}

/** Return what is wrong with a file, or null; and its text if it is JSON. */
async function readFile(
  file: File,
  takes: readonly ResultFormatName[],
  limit: number,
): Promise<{ readonly fault: string | null; readonly text: string | null }> {
  const format = formatOf(file.name) ?? (takes.join() === "json" ? "json" : undefined);
  if (file.size > limit) return { fault: describeSize(file, limit), text: null };
  if (file.size === 0) return { fault: say("{file} is empty.", { file: file.name }), text: null };
  const isTaken = format !== undefined && takes.includes(format);
  if (isTaken && format !== "json") return { fault: null, text: null };
  const text = isTaken ? readText(await file.arrayBuffer()) : null;
  const fault = formatOf(file.name) === "json" && isTaken ? NOT_UTF8 : describeWrongFormat(file.name, takes);
  return { fault: text === null ? fault : null, text };
}

/** Return the field that a problem is about. */
function findField({ status, errors = [] }: Problem): string | null {
  if (status === 401) return "token";
  return errors[0]?.parameter ?? (errors[0]?.pointer == null ? null : "body");
}
