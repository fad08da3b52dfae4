/** Uploads a result in parts of 4 MiB, of which one is in memory; what the site has of it is not sent again. */

import type { Accepted, LackingParts } from "../api/generated/types.ts";
import { post } from "../api/views.ts";
import { sendForm, type Upload, type UploadResult } from "./requests.ts";

const PART_BYTES = 4 * 2 ** 20;

/** Upload a result; the one that is accepted is `upload`. `part` is that of the benchmark, or empty. */
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
