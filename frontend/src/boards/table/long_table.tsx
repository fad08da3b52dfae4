/** A long board: a window that scrolls through all its rows. */

import { useRef } from "preact/hooks";

import { TableFrame, type Props } from "./table.tsx";
import { useWindow } from "./use_window.ts";

export function LongTable(props: Props) {
  const area = useRef<HTMLDivElement>(null);
  const { selection, view, onScrolled } = props;
  const drawn = useWindow(area, selection.count, view.from - 1, (first) => onScrolled(first + 1));
  return <TableFrame {...props} drawn={{ area, ...drawn }} />;
}
