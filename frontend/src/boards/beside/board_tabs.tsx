/** Links to the boards of a benchmark that has several. */

import type { TargetedMouseEvent } from "preact";
import type { BoardCard } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { changeView } from "../../ui/hooks/navigation.ts";
import { boardPath } from "../../ui/lib/route.ts";

/** So many tabs a phone shows. */
const MAX_TABS = 4;

interface Props {
  readonly benchmark: string;
  /** Empty while they are loading. */
  readonly boards: readonly BoardCard[];
  readonly current: string;
  /** Returns the address of a board; by default that of its own page. */
  readonly pathOf?: (benchmark: string, board: string) => string;
}

/** Show the board of a link, with the page where it is scrolled to. */
export function stayOnPage(event: TargetedMouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  changeView(event.currentTarget.search, "push");
}

/** Return the board that a window is of; itself for a board of any time. */
function boardOf(card: BoardCard | undefined, boards: readonly BoardCard[]): string {
  const owners = boards.filter(({ id, window }) => !window && card?.id.startsWith(`${id}-`)).map(({ id }) => id);
  return card?.window ? (owners.sort((a, b) => b.length - a.length)[0] ?? MAIN) : (card?.id ?? MAIN);
}

/** Which board, and of which time. On a phone many boards are a menu, for it cannot show their tabs. */
export function BoardTabs({ benchmark, boards, current, pathOf = boardPath }: Props) {
  const ofAnyTime = boards.filter(({ window }) => !window);
  const card = boards.find(({ id }) => id === current);
  const board = boardOf(card, boards);
  const times = boards.filter((each) => each.window && boardOf(each, boards) === board);
  const link = (id: string, text: string, isCurrent: boolean) => (
    <a key={id} href={pathOf(benchmark, id)} aria-current={isCurrent ? "page" : undefined} onClick={stayOnPage}>
      {text}
    </a>
  );
  return (
    <div class="choices">
      {ofAnyTime.length > 1 && (
        <nav
          class={ofAnyTime.length > MAX_TABS ? "tablist boards many" : "tablist boards"}
          aria-label={say("Boards of this benchmark")}
        >
          {ofAnyTime.map(({ id, title }) => link(id, title ?? say("All"), id === board))}
          {ofAnyTime.length > MAX_TABS && (
            <select
              aria-label={say("Board")}
              value={board}
              onChange={({ currentTarget: { value } }) =>
                changeView(new URL(pathOf(benchmark, value), location.href).search, "push")
              }
            >
              {ofAnyTime.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title ?? say("All")}
                </option>
              ))}
            </select>
          )}
        </nav>
      )}
      {times.length > 0 && (
        <nav class="tablist times" aria-label={say("Times")}>
          {link(board, say("All time"), card?.id === board)}
          {times.map(({ id, title }) => link(id, title ?? id, id === current))}
        </nav>
      )}
    </div>
  );
}
