/** Rows that change their place move there, so that the eye can follow who passed whom. */

import { useLayoutEffect, useRef } from "preact/hooks";

const MILLISECONDS = 300;

/**
 * Move the rows of a table to their new places after an update.
 *
 * @param area The element with the table.
 * @param update What changes when the rows do; null where rows do not move, as in a long board's window.
 * @param view What changes when the visitor asks for other rows, which then show at once.
 */
export function useMoves(area: { readonly current: HTMLElement | null }, update: string | null, view: string): void {
  const before = useRef({ update, view, tops: new Map<string, number>() });
  useLayoutEffect(() => {
    const { update: last, view: lastView, tops } = before.current;
    const rows = update === null ? [] : [...(area.current?.querySelectorAll<HTMLElement>("tr[data-row]") ?? [])];
    const moves = last !== null && last !== update && lastView === view;
    const places = rows.map((row): [string, number] => [row.dataset.row ?? "", row.offsetTop]);
    before.current = { update, view, tops: new Map(places) };
    if (!moves || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const [index, [id, top]] of places.entries()) {
      const way = (tops.get(id) ?? top) - top;
      if (way === 0) continue;
      rows[index]?.animate([{ translate: `0 ${way}px` }, { translate: "0 0" }], {
        duration: MILLISECONDS,
        easing: "ease-out",
      });
    }
  });
}
