/** A list of submissions that is looked at again and again: its first page, and the others once they are asked for. */

import { useRef } from "preact/hooks";

import type { Fetched } from "../api/client.ts";
import type { ListedSubmission, Problem, SubmissionList } from "../api/generated/types.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { fetchSubmissions, type ListQuery } from "./requests.ts";

const SECONDS = 15;

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
