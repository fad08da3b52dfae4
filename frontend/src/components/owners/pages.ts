/** A list that is looked at again and again: its newest page, and older ones once they are asked for. */

import { useRef } from "preact/hooks";

import type { Fetched } from "../../api/client.ts";
import type { Page } from "../../api/owners.ts";
import { usePolled } from "../../hooks/polling.ts";

const SECONDS = 15;

export type Pages<Item> = ReturnType<typeof usePages<Item>>;

/**
 * Poll a list.
 *
 * @param key Identifies the list; another one starts over.
 * @param fetchPage Fetches the page of a cursor, of which the first is empty.
 */
export function usePages<Item>(
  key: string,
  fetchPage: (cursor: string, signal: AbortSignal) => Promise<Fetched<Page<Item>>>,
) {
  const wanted = useRef(1);
  const { phase, value, retry } = usePolled<Page<Item>>(
    key,
    async (signal) => {
      const items: Item[] = [];
      let next: string | null = "";
      for (let page = 0; page < wanted.current && next !== null; page++) {
        const fetched: Fetched<Page<Item>> = await fetchPage(next, signal);
        if (fetched.kind !== "ok") return fetched;
        items.push(...fetched.value.items);
        next = fetched.value.next;
      }
      return { kind: "ok", value: { items, next } };
    },
    () => SECONDS,
  );
  const loadMore = (): void => {
    wanted.current++;
    retry();
  };
  return { phase, retry, page: value, loadMore: value?.next == null ? null : loadMore };
}

/** Return how many items a page has: `50+` if there are more. */
export const countPage = ({ items, next }: Page<unknown>): string => `${items.length}${next === null ? "" : "+"}`;
