/** Links to the pages of a long board. */

import type { ComponentChildren } from "preact";

import { Icon } from "../icons.tsx";

interface Props {
  readonly current: number;
  readonly pages: number;
  readonly urlOf: (page: number) => string;
  readonly onPage: (page: number) => void;
}

export function Pager({ current, pages, urlOf, onPage }: Props) {
  if (pages < 2) return null;
  const link = (page: number, content: ComponentChildren, label: string) => (
    <a
      key={label}
      href={urlOf(page)}
      aria-label={label}
      aria-current={page === current ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        onPage(page);
      }}
    >
      {content}
    </a>
  );
  return (
    <nav class="pager" aria-label="Pages of the board">
      {current > 1 ? link(current - 1, <Icon name="left" />, "Previous page") : <span class="edge" />}
      {nearbyPages(current, pages).map((page, index) =>
        page === null ? <span key={`gap-${index}`}>…</span> : link(page, page, `Page ${page}`),
      )}
      {current < pages ? link(current + 1, <Icon name="right" />, "Next page") : <span class="edge" />}
    </nav>
  );
}

/** Return the first page, the last page and those around the current page; null is a gap. */
function nearbyPages(current: number, pages: number): readonly (number | null)[] {
  const nearby = [1, current - 1, current, current + 1, pages].filter((page) => page >= 1 && page <= pages);
  const distinct = [...new Set(nearby)].sort((a, b) => a - b);
  return distinct.flatMap((page, index) => {
    const before = distinct[index - 1];
    return before !== undefined && page - before > 1 ? [null, page] : [page];
  });
}
