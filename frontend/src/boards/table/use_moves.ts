/** Rows that change their place move there, so that the eye can follow who passed whom. */

import { useLayoutEffect, useRef } from "preact/hooks";

const MOVE = { duration: 600, easing: "cubic-bezier(0.2, 0.8, 0.2, 1)" };

/**
 * Move rows to their new places after an update, those that win places above those that lose some.
 *
 * @param area The element with the rows, which have `data-row`; they are opaque and have a position of their own.
 * @param update What changes when the rows do; null where rows do not move, as in a long board's window.
 * @param view What changes when the visitor asks for other rows, which then show at once.
 */
export function useMoves(area: { readonly current: HTMLElement | null }, update: string | null, view: string): void {
  const before = useRef({ update, view, places: new Map<string, readonly [left: number, top: number]>() });
  useLayoutEffect(() => {
    const { update: last, view: lastView, places } = before.current;
    const rows = update === null ? [] : [...(area.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const moves = last !== null && last !== update && lastView === view;
    before.current = {
      ...{ update, view },
      places: new Map(rows.map((row) => [row.dataset.row ?? "", [row.offsetLeft, row.offsetTop]])),
    };
    if (!moves || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const row of rows) {
      const old = places.get(row.dataset.row ?? "");
      const [x, y] = old ? [old[0] - row.offsetLeft, old[1] - row.offsetTop] : [0, 0];
      if (x === 0 && y === 0) continue;
      const zIndex = x > 0 || (x === 0 && y > 0) ? 1 : 0;
      row.animate(
        [
          { translate: `${x}px ${y}px`, zIndex },
          { translate: "0 0", zIndex },
        ],
        MOVE,
      );
    }
  });
}
