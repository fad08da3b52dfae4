/** Lists of submissions: fetched, looked at again and again, or saved as CSV. */

import { useRef } from "preact/hooks";

import { fetchJson, type Fetched } from "../api/client.ts";
import type { ListedSubmission, Problem, SubmissionList } from "../api/generated/types.ts";
import { authorize, get } from "../api/views.ts";
import { locale } from "../languages/say.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { saveFile } from "../ui/lib/download.ts";

/** Which submissions are asked for; none of these: all of a benchmark. */
export interface ListQuery {
  readonly player?: string;
  readonly batch?: string;
  readonly outcome?: "failed";
  readonly in_review?: "true";
  readonly cursor?: string;
}

const MAX_LENGTH = "1000";
const SECONDS = 15;

const listUrl = (benchmark: string, query: object): string =>
  `/api/benchmarks/${benchmark}/submissions?${new URLSearchParams({ ...query })}`;

/** Fetch a page of a list. */
export const fetchSubmissions = (benchmark: string, query: ListQuery, token: string | null, signal: AbortSignal) =>
  get<SubmissionList>(listUrl(benchmark, query), token, signal);

export type Submissions = ReturnType<typeof useSubmissions>;

interface Options {
  /** How often to ask again; null: when `retry` is called. */
  readonly seconds?: number | null;
  readonly onRejected?: (problem: Problem) => void;
}

/** Poll a list, as far as it was asked for. */
export function useSubmissions(
  benchmark: string,
  query: ListQuery,
  token: string | null,
  { seconds = SECONDS, onRejected }: Options = {},
) {
  const key = JSON.stringify([benchmark, query, token]);
  const wanted = useRef({ key, pages: 1 });
  if (wanted.current.key !== key) wanted.current = { key, pages: 1 };
  const { phase, value, retry } = usePolled<SubmissionList>(
    key,
    async (signal) => {
      const submissions: ListedSubmission[] = [];
      let next: string | null = "";
      for (let page = 0; page < wanted.current.pages && next !== null; page++) {
        const asked: ListQuery = { ...query, ...(next ? { cursor: next } : {}) };
        const fetched: Fetched<SubmissionList> = await fetchSubmissions(benchmark, asked, token, signal);
        if (fetched.kind === "rejected") onRejected?.(fetched.problem);
        if (fetched.kind !== "ok") return fetched;
        submissions.push(...fetched.value.submissions);
        next = fetched.value.next;
      }
      return { kind: "ok", value: { submissions, next } };
    },
    () => seconds,
  );
  // What everybody sees stays while a token is tried.
  const last = useRef<SubmissionList | null>(null);
  last.current = value ?? last.current;
  const loadMore = (): void => {
    wanted.current.pages++;
    retry();
  };
  return { phase, retry, page: last.current, loadMore: value?.next == null ? null : loadMore };
}

/** Return how many submissions a page has: `50+` if there are more. */
export const countListed = ({ submissions, next }: SubmissionList): string =>
  `${submissions.length}${next === null ? "" : "+"}`;

/** Save a whole list as CSV; return why not, if a page is missing. */
export const saveSubmissions = (benchmark: string, query: ListQuery, token: string): Promise<Fetched<unknown>> =>
  saveList(listUrl(benchmark, { ...query, limit: MAX_LENGTH }), [benchmark, ...Object.values(query)].join("-"), token);

/** Save a row for each player as CSV, with the decimals of the page's language. */
export const saveGrades = (benchmark: string, token: string): Promise<Fetched<unknown>> =>
  saveList(
    `/api/benchmarks/${benchmark}/grades.csv?decimal=${(0.5).toLocaleString(locale) === "0,5" ? "comma" : "point"}`,
    `${benchmark}-grades`,
    token,
  );

async function saveList(first: string, name: string, token: string): Promise<Fetched<unknown>> {
  const headers = { ...authorize(token), Accept: "text/csv" };
  let content = "";
  for (let url: string | undefined = first; url !== undefined;) {
    const page: Fetched<{ text: string; next: string | undefined }> = await fetchJson(
      url,
      { headers },
      (text, answer) => ({ text, next: readLink(answer.headers.get("link")) }),
    );
    if (page.kind !== "ok") return page;
    const { text } = page.value;
    content += content === "" ? text : text.slice(text.indexOf("\r\n") + 2);
    url = page.value.next;
  }
  // The byte order mark, by which spreadsheets know UTF-8, is no part of an answer's text.
  saveFile(`${name}.csv`, "text/csv;charset=utf-8", `\uFEFF${content}`);
  return { kind: "ok", value: null };
}

/** Return the address of a header such as `<…>; rel="next"`. */
const readLink = (link: string | null): string | undefined => link?.slice(1, link.indexOf(">"));
