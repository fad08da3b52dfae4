/** Which rows of a long table are drawn, and where: a table of a million rows is higher than browsers can draw. */

/** Firefox draws nothing beyond 17.9 million pixels, other browsers beyond 33.5 million. */
export const MAX_PIXELS = 15_000_000;
const SPARE_ROWS = 8;

/** The sizes of a table: how many rows there are, how high a row and the window are in pixels. */
export interface Sizes {
  readonly count: number;
  readonly row: number;
  readonly window: number;
}

/** Where a table is scrolled to: row `n` is drawn at `(n - base) * row`. `base` is 0 unless browsers draw less. */
export interface Place {
  readonly base: number;
  readonly top: number;
}

/** Return how high the rows are that the scroll bar passes. */
export const heightOf = (sizes: Sizes): number => mostOf(sizes) * sizes.row;

/** Return the place at which a row, counted from 0, is the first in the window. */
export function placeOf(index: number, sizes: Sizes): Place {
  const base = baseOf(index, sizes);
  return { base, top: Math.max(0, Math.min((index - base) * sizes.row, heightOf(sizes) - sizes.window)) };
}

/** Return the place that shows the same rows, with as many as possible before and after them. */
export function settle(place: Place, sizes: Sizes): Place {
  const base = baseOf(rowsAt(place, sizes).first, sizes);
  return { base, top: place.top + (place.base - base) * sizes.row };
}

/** Return the first row in the window, and the range of rows to draw, its end excluded. */
export function rowsAt({ base, top }: Place, sizes: Sizes) {
  const last = base + mostOf(sizes);
  const first = Math.max(0, Math.min(last - 1, base + Math.floor(top / sizes.row)));
  const shown = Math.ceil(sizes.window / sizes.row) + 1;
  return { first, start: Math.max(base, first - SPARE_ROWS), end: Math.min(last, first + shown + SPARE_ROWS) };
}

/** Return how many rows the scroll bar passes. */
const mostOf = ({ count, row }: Sizes): number => Math.min(count, Math.floor(MAX_PIXELS / row));

/** Return the first row that the scroll bar passes when a row is in the middle of them. */
function baseOf(index: number, sizes: Sizes): number {
  const most = mostOf(sizes);
  return Math.max(0, Math.min(sizes.count - most, index - Math.floor(most / 2)));
}
