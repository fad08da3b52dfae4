/** The table of a board; a long one is drawn in a window that scrolls through all its rows, and is loaded with it. */

import { lazy } from "../../ui/lazy.tsx";
import { TableFrame, type Props } from "./table.tsx";

/** A longer board has a window of its own; a shorter one is shown as a whole. */
const LONG_BOARD = 300;
/** So many rows stand in the place of the window until it is there. */
const FIRST_ROWS = 20;

const FirstRows = (props: Props) => {
  const start = Math.min(props.view.from - 1, props.selection.count - FIRST_ROWS);
  return <TableFrame {...props} drawn={{ start, end: start + FIRST_ROWS, above: 0, below: 0 }} />;
};
const LongTable = lazy(() => import("./long_table.tsx").then((module) => module.LongTable), FirstRows, 0);

export const BoardTable = (props: Props) =>
  props.selection.count > LONG_BOARD ? <LongTable {...props} /> : <TableFrame {...props} />;
