/** Links to the boards of a benchmark that has several. */

import type { BoardCard } from "../../api/generated/types.ts";
import { changeView } from "../../hooks/navigation.ts";
import { boardPath } from "../../lib/route.ts";
import { MAIN } from "../../lib/board/view.ts";

interface Props {
  readonly benchmark: string;
  /** Empty while they are loading. */
  readonly boards: readonly BoardCard[];
  readonly current: string;
}

export function BoardTabs({ benchmark, boards, current }: Props) {
  if (boards.length < 2) return current === MAIN ? null : <div class="tablist boards" />;
  return (
    <nav class="tablist boards" aria-label="Boards of this benchmark">
      {boards.map(({ id, title }) => {
        const path = boardPath(benchmark, id);
        return (
          <a
            key={id}
            href={path}
            aria-current={id === current ? "page" : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
              // The page stays where it is scrolled to.
              event.preventDefault();
              changeView(new URL(path, location.origin).search, "push");
            }}
          >
            {title ?? "All"}
          </a>
        );
      })}
    </nav>
  );
}
