/** What an owner asks: the errors of all benchmarks, and to publish a folder. */

import { sendForm } from "./batches.ts";
import { fetchJson, type Fetched } from "./client.ts";
import type { ErrorList, ErrorView, PublicationTicket, PublicationView } from "./generated/types.ts";
import { authorize, cursorQuery, fetchIndex, post } from "./views.ts";

const POLL_MILLISECONDS = 1000;

export interface BenchmarkError extends ErrorView {
  readonly benchmark: string;
}

/** Errors of several benchmarks, the newest first, and where the older ones of each begin. */
export interface ErrorPage {
  readonly errors: readonly BenchmarkError[];
  /** Benchmark → cursor, of those with older errors. */
  readonly next: ReadonlyMap<string, string>;
}

/**
 * Fetch errors of all benchmarks that the token owns, a page of each.
 *
 * @param after What `next` of the page before said; null: the newest of all benchmarks.
 */
export async function fetchErrors(
  token: string,
  after: ErrorPage["next"] | null,
  signal: AbortSignal,
): Promise<Fetched<ErrorPage>> {
  const wanted = new Map<string, string | null>(after);
  if (after === null) {
    const index = await fetchIndex(signal);
    if (index.kind !== "ok") return index;
    for (const { id } of index.value.benchmarks) wanted.set(id, null);
  }
  const errors: BenchmarkError[] = [];
  const next = new Map<string, string>();
  let refused: Fetched<ErrorPage> | null = null;
  let answered = 0;
  // One after another: the site accepts only so many requests a second, of all readers together.
  for (const [benchmark, cursor] of wanted) {
    const url = `/api/benchmarks/${benchmark}/errors${cursorQuery(cursor)}`;
    const fetched = await fetchJson<ErrorList>(url, { signal, headers: authorize(token) });
    if (fetched.kind === "ok") {
      answered++;
      errors.push(...fetched.value.errors.map((error) => ({ ...error, benchmark })));
      if (fetched.value.next !== null) next.set(benchmark, fetched.value.next);
    } else if (refused?.kind !== "rejected") refused = fetched;
  }
  if (answered === 0 && refused) return refused;
  errors.sort((one, other) => other.recorded_at.localeCompare(one.recorded_at));
  return { kind: "ok", value: { errors, next } };
}

/** Upload a benchmark's ZIP, have it checked and published, and return the report. */
export async function publishBundle(
  benchmark: string,
  bundle: File,
  token: string,
  signal: AbortSignal,
): Promise<Fetched<PublicationView>> {
  const [address, headers] = [`/api/benchmarks/${benchmark}/publications`, authorize(token)];
  const ticket = await post<PublicationTicket>(address, headers, { bytes: bundle.size }, signal);
  if (ticket.kind !== "ok") return ticket;
  if ((await sendForm(ticket.value, bundle, signal, () => undefined)) !== null) return { kind: "failed" };
  const { replaces, start_url, status_url } = ticket.value;
  let view = await post<PublicationView>(start_url, headers, { replaces }, signal);
  while (view.kind === "ok" && (view.value.status === "checking" || view.value.status === "waiting")) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    view = await fetchJson<PublicationView>(status_url, { signal, headers });
  }
  return view;
}
