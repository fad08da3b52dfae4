/** A long table, of which a part is drawn: it follows the scroll bar, and the address follows it. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { heightOf, placeOf, rowsAt, settle, type Place, type Sizes } from "../rows/window.ts";
import { TableFrame, type Drawn, type Props } from "./table.tsx";

const REST_MILLISECONDS = 200;
const FIRST_SIZES = { row: 44, window: 640 };

export function LongTable(props: Props) {
  const area = useRef<HTMLDivElement>(null);
  const { selection, view, onScrolled } = props;
  const drawn = useWindow(area, selection.count, view.from - 1, (first) => onScrolled(first + 1));
  return <TableFrame {...props} drawn={drawn} />;
}

/**
 * Return the rows of a table to draw, the end excluded, the pixels above and below them, and what handles events.
 *
 * The table is the content of `area`, which scrolls.
 *
 * @param area The element that scrolls.
 * @param count How many rows there are.
 * @param first The row to show first, counted from 0. When it changes, the table moves there.
 * @param onRest Called with the first row when the visitor has stopped scrolling.
 */
function useWindow(
  area: NonNullable<Drawn["area"]>,
  count: number,
  first: number,
  onRest: (first: number) => void,
): Drawn {
  const measured = useMeasured(area);
  const sizes: Sizes = { ...measured, count };
  const place = useRef(placeOf(first, sizes));
  // The first row when the table was last at rest.
  const rested = useRef(first);
  const [drawn, setDrawn] = useState(() => draw(place.current, sizes));
  const timer = useRef(0);

  const move = (next: Place): void => {
    const element = area.current;
    place.current = next;
    const now = draw(next, sizes);
    if (element) {
      if (element.scrollTop !== next.top) element.scrollTop = next.top;
      // The keyboard goes on in the table when the row that has it is no longer drawn.
      const focused = document.activeElement?.closest("tbody [aria-rowindex]");
      const index = Number(focused?.ariaRowIndex) - 2;
      if (element.contains(focused ?? null) && (index < now.start || index >= now.end)) {
        element.focus({ preventScroll: true });
      }
    }
    setDrawn((old) => (old.start === now.start && old.end === now.end && old.base === now.base ? old : now));
  };
  const show = (row: number): void => {
    clearTimeout(timer.current);
    rested.current = row;
    move(placeOf(row, sizes));
  };
  const rest = useRef<() => void>(() => undefined);
  rest.current = () => {
    move(settle(place.current, sizes));
    rested.current = rowsAt(place.current, sizes).first;
    onRest(rested.current);
  };
  const restSoon = (): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => rest.current(), REST_MILLISECONDS);
  };

  useLayoutEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => show(rested.current), [measured]);
  useLayoutEffect(() => {
    if (rested.current !== first) show(first);
  }, [first]);

  const onScroll = (): void => {
    // Of a table that was left browsers say once more that it scrolled; the address is then another page's.
    if (!area.current || matchMedia("print").matches) return; // in print nothing scrolls, and the rows stay
    const top = area.current.scrollTop;
    // Without a difference, the table itself moved there. Browsers round: beyond 8 million pixels they know no halves.
    if (Math.abs(top - place.current.top) < 2) return;
    move({ ...place.current, top });
    restSoon();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    move(placeOf(event.key === "Home" ? 0 : count, sizes));
    restSoon();
  };

  // The number of rows may have become smaller.
  const end = Math.min(count, drawn.end);
  const start = Math.min(end, drawn.start);
  const above = Math.max(0, (start - drawn.base) * sizes.row);
  return {
    ...{ area, start, end, above },
    below: Math.max(0, heightOf(sizes) - above - (end - start) * sizes.row),
    events: { onScroll, onKeyDown },
  };
}

/** Return how high a row and the window are, in pixels, as they change. */
function useMeasured(area: { readonly current: HTMLElement | null }) {
  const [measured, setMeasured] = useState(FIRST_SIZES);
  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    const measure = (): void => {
      if (matchMedia("print").matches) return; // where nothing scrolls, and more rows would make it higher
      const row = element.querySelector("tbody tr")?.getBoundingClientRect().height ?? FIRST_SIZES.row;
      const head = element.querySelector("thead")?.getBoundingClientRect().height ?? 0;
      const height = element.clientHeight - head;
      setMeasured((old) => (old.row === row && old.window === height ? old : { row, window: height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return measured;
}

const draw = (place: Place, sizes: Sizes) => ({ ...rowsAt(place, sizes), base: place.base });
