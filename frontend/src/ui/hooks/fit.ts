/** What is drawn beside a board, and which of its columns: by what its table needs as it is drawn, not by guesses. */

import { useLayoutEffect } from "preact/hooks";

/** From what is best seen to what is always seen whole: `fewer` has no column of submissions, and shorter names. */
const FITS = ["fits", "fewer", "below"];

/**
 * After each drawing, and with each size of the window, let a table be seen whole beside what explains it, or above it.
 *
 * @param area The element that the table scrolls in.
 * @param mayBeBeside Whether anything may be beside the table.
 * @param mayDrop Whether the column of submissions may be left out.
 */
export function useFit(area: { readonly current: HTMLElement | null }, mayBeBeside: boolean, mayDrop: boolean): void {
  useLayoutEffect(() => {
    const scroller = area.current;
    const around = scroller?.closest(".board-and-side")?.classList;
    if (!around || !mayBeBeside) return;
    const fit = (): unknown =>
      FITS.some((name) => {
        around.remove(...FITS);
        around.add(name);
        return (mayDrop || name !== "fewer") && scroller.scrollWidth <= scroller.clientWidth;
      });
    fit();
    addEventListener("resize", fit);
    return () => removeEventListener("resize", fit);
  });
}
