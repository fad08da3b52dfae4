/** Uploads a batch, or a result in parts, and fetches a batch's report. */

import type { Accepted, LackingParts, Problem, UploadTicket, UploadView } from "../api/generated/types.ts";
import { get, post } from "../api/views.ts";

const EXPIRED_STATUS = 403;
const PART_BYTES = 4 * 2 ** 20;

/**
 * Why an upload failed. `lost`: the connection broke. `expired`: the ticket's 15 minutes were over.
 * `mismatch`: the file is not the announced one. `stopped`: the visitor cancelled it.
 */
export type UploadError = "lost" | "expired" | "mismatch" | "stopped";

export type UploadResult =
  | { readonly kind: "ok"; readonly upload: string }
  | { readonly kind: "rejected"; readonly problem: Problem }
  | { readonly kind: UploadError };

export interface Upload {
  readonly benchmark: string;
  readonly token: string;
  readonly file: File;
  /** Cancels the upload. */
  readonly signal: AbortSignal;
  /** Called with the share that is sent, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** Upload a batch: get a ticket, then send the file there. */
export async function uploadBatch(upload: Upload): Promise<UploadResult> {
  const { benchmark, token, file, signal } = upload;
  const wish = { bytes: file.size, filename: file.name };
  const ticketed = post<UploadTicket>(`/api/benchmarks/${benchmark}/uploads`, token, wish, { signal });
  const fetched = await ticketed.catch(() => null);
  if (fetched === null) return { kind: "stopped" };
  if (fetched.kind === "rejected") return fetched;
  if (fetched.kind !== "ok") return { kind: "lost" };
  const { value: ticket } = fetched;
  const error = await sendForm(ticket, file, signal, upload.onProgress);
  if (error === null) return { kind: "ok", upload: ticket.upload };
  if (error !== "lost" && error !== "stopped") return { kind: error };
  // The file may have arrived although its answer was lost, or not waited for: then its report is there. The visitor may
  // have left the page by then, so `signal` does not end this request.
  const report = await fetchBatch(benchmark, ticket.upload, token, new AbortController().signal).catch(() => null);
  const hasArrived = report?.kind === "ok" && report.value.status !== "waiting";
  return hasArrived ? { kind: "ok", upload: ticket.upload } : { kind: error };
}

/**
 * Upload a result in parts of 4 MiB, of which one is in memory; what the site has of it is not sent again. The submission
 * that is accepted is `upload`. `part` is that of the benchmark, or empty.
 */
export async function uploadParts(
  { benchmark, token, file, signal, onProgress }: Upload,
  part: string,
): Promise<UploadResult> {
  const parts: string[] = [];
  const cut = (number: number): Blob => file.slice(number * PART_BYTES, (number + 1) * PART_BYTES);
  while (parts.length * PART_BYTES < file.size) {
    if (signal.aborted) return { kind: "stopped" };
    parts.push(await hash(cut(parts.length)));
  }
  const url = `/api/benchmarks/${benchmark}/large${part && `?part=${encodeURIComponent(part)}`}`;
  const wish = { filename: file.name, bytes: file.size, parts };
  for (;;) {
    const fetched = await post<Accepted | LackingParts>(url, token, wish, { signal }).catch(() => null);
    if (fetched === null) return { kind: "stopped" };
    if (fetched.kind === "rejected") return fetched;
    if (fetched.kind !== "ok") return { kind: "lost" };
    if ("submission" in fetched.value) return { kind: "ok", upload: fetched.value.submission };
    let sent = parts.length - fetched.value.lacking;
    for (const form of fetched.value.forms) {
      const report = (share: number): void => onProgress((sent + share) / parts.length);
      const error = await sendForm(form, cut(parts.indexOf(form.sha256)), signal, report);
      // One whose time is over is asked for again.
      if (error === "expired") break;
      if (error !== null) return { kind: error };
      sent += 1;
    }
  }
}

async function hash(part: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await part.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Fetch the report of a batch, for an owner that of a player. Throws once the signal aborts. */
export const fetchBatch = (benchmark: string, upload: string, token: string, signal: AbortSignal, player = "") =>
  get<UploadView>(`/api/benchmarks/${benchmark}/uploads/${upload}${player && `?player=${player}`}`, token, signal);

/** Send the form by XMLHttpRequest, because fetch reports no progress; null means success. */
export function sendForm(
  ticket: Pick<UploadTicket, "url" | "fields">,
  file: Blob,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<UploadError | null> {
  const form = new FormData();
  for (const [name, value] of Object.entries(ticket.fields)) form.append(name, value);
  // The file comes last: S3 ignores fields after it.
  form.append("file", file);
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const stop = (): void => request.abort();
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => resolve(errorOf(request.status));
    request.onerror = () => resolve("lost");
    request.onabort = () => resolve("stopped");
    request.onloadend = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop);
    request.open("POST", ticket.url);
    request.send(form);
    if (signal.aborted) stop();
  });
}

function errorOf(status: number): UploadError | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 500) return "lost";
  return status === EXPIRED_STATUS ? "expired" : "mismatch";
}
