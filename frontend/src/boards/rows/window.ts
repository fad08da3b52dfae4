/** Which rows of a long table are drawn, and where: a table of a million rows is higher than browsers can draw. */

/** Firefox draws nothing beyond 17.9 million pixels, other browsers beyond 33.5 million. */
export const MAX_PIXELS = 15_000_000;
const SPARE_ROWS = 8;
/** A step of this many windows is a drag of the scroll bar; a shorter one moves the rows by as many pixels. */
const JUMP = 3;
/** So much at either end of the table is as high as its rows are: more than what is drawn outside of the window. */
const END_PIXELS = 5000;

/** The sizes of a table: how many rows there are, how high a row and the window are in pixels. */
export interface Sizes {
  readonly count: number;
  readonly row: number;
  readonly window: number;
}

/**
 * Where a table is scrolled to: row `n` is drawn at `n * row + shift`, so `top - shift` pixels of rows are above the
 * window. `shift` is 0 unless the rows are higher than MAX_PIXELS.
 */
export interface Place {
  readonly top: number;
  readonly shift: number;
}

/** Return how high the browser believes the rows to be. */
export const heightOf = ({ count, row }: Sizes): number => Math.min(count * row, MAX_PIXELS);

/** Return the place at which a row, counted from 0, is the first in the window. */
export const placeOf = (index: number, sizes: Sizes): Place => placeAt(index * sizes.row, sizes);

/** Return the place after the browser has scrolled to `top`. Its own `top` differs where the browser has to follow. */
export function follow({ top: before, shift }: Place, top: number, sizes: Sizes): Place {
  const { rows, bar } = rangesOf(sizes);
  if (rows === bar) return { top, shift: 0 };
  if (Math.abs(top - before) > JUMP * sizes.window) return { top, shift: top - scale(top, bar, rows) };
  const above = top - shift;
  const isBeyond = above < 0 || above > rows;
  const isStuck = (top <= 0 && above > 0) || (top >= bar && above < rows);
  return isBeyond || isStuck ? placeAt(above, sizes) : { top, shift };
}

/** Return the place that shows the same rows, with the scroll bar where it belongs. */
export const settle = ({ top, shift }: Place, sizes: Sizes): Place => placeAt(top - shift, sizes);

/** Return the first row in the window, and the range of rows to draw, its end excluded. */
export function rowsAt({ top, shift }: Place, { count, row, window }: Sizes) {
  const first = Math.max(0, Math.min(count - 1, Math.floor((top - shift) / row)));
  const shown = Math.ceil(window / row) + 1;
  return { first, start: Math.max(0, first - SPARE_ROWS), end: Math.min(count, first + shown + SPARE_ROWS) };
}

function placeAt(pixels: number, sizes: Sizes): Place {
  const { rows, bar } = rangesOf(sizes);
  const above = Math.max(0, Math.min(rows, pixels));
  const top = Math.round(scale(above, rows, bar));
  return { top, shift: top - above };
}

/** Return how far the rows can move, and how far the scroll bar can. */
function rangesOf(sizes: Sizes) {
  const { count, row, window } = sizes;
  return { rows: Math.max(0, count * row - window), bar: Math.max(0, heightOf(sizes) - window) };
}

/** Return the same place in a range of another length. Near its ends, a pixel stays a pixel. */
function scale(place: number, from: number, to: number): number {
  if (from === to || place <= END_PIXELS) return place;
  if (place >= from - END_PIXELS) return to - (from - place);
  return END_PIXELS + ((place - END_PIXELS) / (from - 2 * END_PIXELS)) * (to - 2 * END_PIXELS);
}
