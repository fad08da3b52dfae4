/** The table of a board; a long one is drawn in a window that scrolls through all its rows, and is loaded with it. */

import { useLayoutEffect } from "preact/hooks";

import { lazy } from "../../ui/lazy.tsx";
import { TableFrame, type Props } from "./table.tsx";

/** A longer board has a window of its own; a shorter one is shown as a whole. */
const LONG_BOARD = 300;
/** So many rows stand in the place of the window until it is there. */
const FIRST_ROWS = 20;
const LONG = ".board.long";

const FirstRows = (props: Props) => {
  const { count } = props.selection;
  const start = Math.min(props.view.from - 1, count - FIRST_ROWS);
  // A key counts before the window is there, which begins where the address says.
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === "End" || key === "Home") props.onScrolled(key === "End" ? count : 1);
  };
  // The window takes the place of this table, and the keyboard goes on in it.
  const giveFocus = (): void => {
    if (document.activeElement?.closest(LONG)) queueMicrotask(() => document.querySelector<HTMLElement>(LONG)?.focus());
  };
  useLayoutEffect(() => giveFocus, []);
  return (
    <TableFrame {...props} drawn={{ start, end: start + FIRST_ROWS, above: 0, below: 0, events: { onKeyDown } }} />
  );
};
const LongTable = lazy(() => import("./long_table.tsx").then((module) => module.LongTable), FirstRows, 0);

export const BoardTable = (props: Props) =>
  props.selection.count > LONG_BOARD ? <LongTable {...props} /> : <TableFrame {...props} />;
