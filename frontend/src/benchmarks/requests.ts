/** What an owner asks and does: own benchmarks, errors, reviews, bans, rescores, and what is published. */

import type { Fetched } from "../api/client.ts";
import type {
  ArchiveView,
  BanView,
  BenchmarkList,
  DeletionView,
  Download,
  FinalView,
  FolderView,
  PublicationTicket,
  PublicationView,
  RescoreView,
  SubmissionView,
} from "../api/generated/types.ts";
import { get, post, submissionUrl } from "../api/views.ts";
import { sendForm } from "../batches/requests.ts";

const POLL_MILLISECONDS = 1000;

export const fetchOwned = (token: string, signal: AbortSignal) =>
  get<BenchmarkList>("/api/benchmarks?owned=true&archived=true", token, signal);

/** Accept a submission in review, withdraw it, which needs a reason, or undo that. */
export const decide = (
  token: string,
  benchmark: string,
  submission: string,
  kind: "accept" | "withdraw",
  wish: object,
) =>
  post<SubmissionView>(
    `${submissionUrl(benchmark, submission)}/${kind === "accept" ? "acceptance" : "withdrawal"}`,
    token,
    wish,
  );

/** A ban of a player or a name, or more time for a player. */
export interface Ruling {
  readonly route: "ban" | "extension";
  readonly who: { readonly player: string } | { readonly name: string };
  readonly wish: { readonly reason?: string; readonly until?: string };
}

export const rule = (token: string, benchmark: string, { route, who, wish }: Ruling, undo: boolean) =>
  post<Partial<BanView>>(`/api/benchmarks/${benchmark}/${route}`, token, { ...who, ...(undo ? { undo } : wish) });

/** Have submissions and their raw results written into a ZIP; without a cursor the first ones. */
export const writeDownload = (token: string, benchmark: string, cursor: string | null) =>
  post<Download>(`/api/benchmarks/${benchmark}/downloads`, token, { cursor });

/** Archive a benchmark, for a reason or none; null brings it back. */
export const archive = (token: string, benchmark: string, reason: string | null) =>
  post<ArchiveView>(`/api/benchmarks/${benchmark}/archive`, token, reason === null ? { undo: true } : because(reason));

export const deleteBenchmark = (token: string, benchmark: string) =>
  post<DeletionView>(`/api/benchmarks/${benchmark}/deletion`, token, { confirm: benchmark });

/** A reason that everybody reads, if one was entered. */
const because = (reason: string) => (reason === "" ? {} : { reason });

/** Have a folder made from a table with the right answers. */
export const makeFolder = (token: string, benchmark: string, table: object) =>
  post<FolderView>(`/api/benchmarks/${benchmark}/solution`, token, table);

export const rescore = (token: string, benchmark: string, reason: string) =>
  post<RescoreView>(`/api/benchmarks/${benchmark}/rescore`, token, because(reason));

/** Begin the final; a repeat says what it waits for. */
export const reveal = (token: string, benchmark: string, without_failed: boolean) =>
  post<FinalView>(`/api/benchmarks/${benchmark}/reveal`, token, { without_failed });

/** What is sent, to whom, and what becomes of it. */
export interface Publication {
  readonly benchmark: string;
  readonly bundle: File;
  /** The number of what it replaces, as the check before saw it; null: it is only checked. */
  readonly replaces: number | null;
  /** What everybody reads of a correction, if not empty. */
  readonly reason: string;
  readonly token: string;
}

/** Upload a benchmark's ZIP, have it checked, and published if it replaces something; return the report. */
export async function sendBundle(
  { benchmark, bundle, replaces, reason, token }: Publication,
  signal: AbortSignal,
): Promise<Fetched<PublicationView & { readonly replaces: number }>> {
  const address = `/api/benchmarks/${benchmark}/publications`;
  const ticket = await post<PublicationTicket>(address, token, { bytes: bundle.size }, { signal });
  if (ticket.kind !== "ok") return ticket;
  if ((await sendForm(ticket.value, bundle, signal, () => undefined)) !== null) return { kind: "failed" };
  const { start_url, status_url } = ticket.value;
  let view = await post<PublicationView>(start_url, token, { replaces, ...because(reason) }, { signal });
  while (view.kind === "ok" && (view.value.status === "checking" || view.value.status === "waiting")) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    view = await get<PublicationView>(status_url, token, signal);
  }
  return view.kind === "ok" ? { kind: "ok", value: { ...view.value, replaces: ticket.value.replaces } } : view;
}
