/** The table of a board; a long one is drawn in a window, which is loaded then. */

import { useRef } from "preact/hooks";

import { lazy } from "../../ui/lazy.tsx";
import { TableFrame, type Props } from "./table.tsx";

/** A longer board has a window of its own; a shorter one is shown as a whole. */
const LONG_BOARD = 300;
/** Rows that are drawn until the window of a long board is loaded. */
const FIRST_ROWS = 30;

const LongTable = lazy(
  () => import("./long_table.tsx").then((module) => module.LongTable),
  (props: Props) => {
    const start = Math.min(props.view.from, props.selection.count) - 1;
    const end = Math.min(start + FIRST_ROWS, props.selection.count);
    const [area, wait] = [useRef<HTMLDivElement>(null), () => undefined];
    return <TableFrame {...props} drawn={{ area, start, end, above: 0, below: 0, onScroll: wait, onKeyDown: wait }} />;
  },
);

export const BoardTable = (props: Props) =>
  props.selection.count > LONG_BOARD ? <LongTable {...props} /> : <TableFrame {...props} />;
