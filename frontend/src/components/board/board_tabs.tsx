/** Links to the boards of a benchmark that has several. */

import type { TargetedMouseEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { fetchBoards, findServedBoards } from "../../api/client.ts";
import type { BoardCard, BoardList } from "../../api/generated/types.ts";
import { changeView } from "../../hooks/navigation.ts";
import { usePolled } from "../../hooks/polling.ts";
import { say } from "../../languages/say.ts";
import { boardPath } from "../../lib/route.ts";
import { MAIN } from "../../lib/board/view.ts";

/** How much of the tab before the current one is in sight. */
const PEEK_PIXELS = 40;

interface Props {
  readonly benchmark: string;
  /** Empty while they are loading. */
  readonly boards: readonly BoardCard[];
  readonly current: string;
  /** Returns the address of a board; by default that of its own page. */
  readonly pathOf?: (benchmark: string, board: string) => string;
}

/** The boards of a benchmark, whether it is archived, and how many bans it has. */
export type Listed = Pick<BoardList, "boards" | "archived" | "banned">;

const NOTHING: Listed = { boards: [], archived: null, banned: 0 };

/** Return what is listed of a benchmark, with the windows that have begun, once one of its boards is shown. */
export function useBoards(benchmark: string, isShown: boolean): Listed {
  const key = isShown ? benchmark : null;
  const { value } = usePolled(
    key,
    (signal) => fetchBoards(benchmark, signal),
    () => null,
  );
  if (value === null) return { ...NOTHING, boards: findServedBoards(benchmark) };
  return { ...value, boards: value.boards.filter(({ window }) => !window || Date.parse(window.from) <= Date.now()) };
}

/** Show the board of a link, with the page where it is scrolled to. */
export function stayOnPage(event: TargetedMouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  changeView(event.currentTarget.search, "push");
}

export function BoardTabs({ benchmark, boards, current, pathOf = boardPath }: Props) {
  const tabs = useRef<HTMLElement>(null);
  // On a phone not all tabs are in sight.
  useEffect(() => {
    const list = tabs.current;
    const tab = list?.querySelector<HTMLElement>("[aria-current]");
    const leftOf = (element: HTMLElement): number => element.getBoundingClientRect().left;
    if (list && tab) list.scrollLeft += leftOf(tab) - leftOf(list) - PEEK_PIXELS;
  }, [current, boards.length]);
  if (boards.length < 2) return current === MAIN ? null : <div class="tablist boards" />;
  return (
    <nav ref={tabs} class="tablist boards" aria-label={say("Boards of this benchmark")}>
      {boards.map(({ id, title }) => (
        <a
          key={id}
          href={pathOf(benchmark, id)}
          aria-current={id === current ? "page" : undefined}
          onClick={stayOnPage}
        >
          {title ?? say("All")}
        </a>
      ))}
    </nav>
  );
}
