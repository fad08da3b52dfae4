/** A list of submissions that is looked at again and again: its first page, and the others once they are asked for. */

import { useRef, useState } from "preact/hooks";

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

/** Poll a list, as far as it was asked for, in its own order or with the best by a metric first. */
export function useSubmissions(
  benchmark: string,
  query: ListQuery,
  token: string | null,
  { seconds = SECONDS, onRejected }: Options = {},
) {
  const [sort, setSort] = useState<string | null>(null);
  const key = JSON.stringify([benchmark, query, token, sort?.startsWith("#") ? null : sort]);
  const wanted = useRef({ key, pages: 1 });
  if (wanted.current.key !== key) wanted.current = { key, pages: 1 };
  const { phase, value, retry } = usePolled<SubmissionList>(
    key,
    async (signal) => {
      const submissions: ListedSubmission[] = [];
      let next: string | null = "";
      for (let page = 0; page < wanted.current.pages && next !== null; page++) {
        const sorted = sort === null || sort.startsWith("#") ? {} : { sort };
        const asked: ListQuery = { ...query, ...sorted, ...(next ? { cursor: next } : {}) };
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
  // What is shown stays until the same is there in another order.
  const last = useRef<SubmissionList | null>(null);
  last.current = value ?? last.current;
  const loadMore = (): void => {
    wanted.current.pages++;
    retry();
  };
  return { phase, retry, page: last.current, sort, setSort, loadMore: value?.next == null ? null : loadMore };
}

/** Return how many submissions a page has: `50+` if there are more. */
export const countListed = ({ submissions, next }: SubmissionList): string =>
  `${submissions.length}${next === null ? "" : "+"}`;
