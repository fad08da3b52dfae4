/** The table of a board; a long one is drawn in a window that scrolls through all its rows. */

import { useRef } from "preact/hooks";

import { TableFrame, type Props } from "./table.tsx";
import { useWindow } from "./use_window.ts";

/** A longer board has a window of its own; a shorter one is shown as a whole. */
const LONG_BOARD = 300;

export const BoardTable = (props: Props) =>
  props.selection.count > LONG_BOARD ? <LongTable {...props} /> : <TableFrame {...props} />;

function LongTable(props: Props) {
  const area = useRef<HTMLDivElement>(null);
  const { selection, view, onScrolled } = props;
  const drawn = useWindow(area, selection.count, view.from - 1, (first) => onScrolled(first + 1));
  return <TableFrame {...props} drawn={{ area, ...drawn }} />;
}
