/** Uploads a batch, and asks what became of it. */

import type { ProblemAnswer, TicketAnswer, UploadAnswer, UploadedEntry } from "./answers.ts";
import { authorize, fetchJson, type Fetched } from "./client.ts";

const EXPIRED_STATUS = 403;

/** Why a file is not there. `stopped`: by the visitor. `late`: its place was kept for 15 minutes only. */
export type Mishap = "lost" | "late" | "turned-down" | "stopped";

export type Uploaded =
  | { readonly kind: "ok"; readonly upload: string }
  | { readonly kind: "refused"; readonly problem: ProblemAnswer }
  | { readonly kind: Mishap };

export interface Upload {
  readonly benchmark: string;
  readonly token: string;
  readonly file: File;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Told how much is sent, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Uploads a file: asks for a place, and sends it there. */
export async function uploadFile(upload: Upload): Promise<Uploaded> {
  const { benchmark, token, file, signal } = upload;
  const asked = await askForPlace(upload).catch(() => null);
  if (asked === null) return { kind: "stopped" };
  if (asked.kind === "refused") return asked;
  if (asked.kind !== "ok") return { kind: "lost" };
  const { value: ticket } = asked;
  const end = await sendForm(ticket, file, signal, upload.onProgress);
  if (end === null) return { kind: "ok", upload: ticket.upload };
  if (end !== "lost") return { kind: end };
  // The file may be there though the answer was lost: sent again, it would be a second batch.
  const found = await fetchUpload(benchmark, ticket.upload, token, null, signal).catch(() => null);
  const isThere = found?.kind === "ok" && found.value.status !== "waiting";
  return isThere ? { kind: "ok", upload: ticket.upload } : { kind: signal.aborted ? "stopped" : "lost" };
}

/** Asks what became of an upload. Throws once the signal ends it. */
export const fetchUpload = (
  benchmark: string,
  upload: string,
  token: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Fetched<UploadAnswer>> =>
  fetchJson(
    `/api/benchmarks/${benchmark}/uploads/${upload}${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`,
    { signal, headers: authorize(token) },
  );

/** Asks for every entry of an upload, page by page; null where one of them did not come. */
export async function fetchEntries(
  benchmark: string,
  upload: string,
  token: string,
  onCount: (count: number) => void,
): Promise<readonly UploadedEntry[] | null> {
  const entries: UploadedEntry[] = [];
  let cursor: string | null = null;
  do {
    const fetched: Fetched<UploadAnswer> = await fetchUpload(
      benchmark,
      upload,
      token,
      cursor,
      new AbortController().signal,
    );
    if (fetched.kind !== "ok") return null;
    entries.push(...fetched.value.page);
    cursor = fetched.value.next;
    onCount(entries.length);
  } while (cursor !== null);
  return entries;
}

function askForPlace({ benchmark, token, file, signal }: Upload): Promise<Fetched<TicketAnswer>> {
  return fetchJson(`/api/benchmarks/${benchmark}/uploads`, {
    method: "POST",
    signal,
    body: JSON.stringify({ bytes: file.size, filename: file.name }),
    headers: { "Content-Type": "application/json", ...authorize(token) },
  });
}

/** Sends the form by XMLHttpRequest, as fetch does not tell how far it is; gives null where the file was taken. */
function sendForm(
  ticket: TicketAnswer,
  file: File,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<Mishap | null> {
  const form = new FormData();
  for (const [name, value] of Object.entries(ticket.fields)) form.append(name, value);
  // The store reads no field behind the file.
  form.append("file", file);
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const stop = (): void => request.abort();
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => resolve(readStatus(request.status));
    request.onerror = () => resolve("lost");
    request.onabort = () => resolve("stopped");
    request.onloadend = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop);
    request.open("POST", ticket.url);
    request.send(form);
    if (signal.aborted) stop();
  });
}

function readStatus(status: number): Mishap | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 500) return "lost";
  return status === EXPIRED_STATUS ? "late" : "turned-down";
}
