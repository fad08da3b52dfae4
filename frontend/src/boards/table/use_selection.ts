/** The rows that a view shows, by their index: those in memory, and those that the API selects from a large board. */

import { useEffect, useMemo, useState } from "preact/hooks";

import type { View } from "../../api/view.ts";
import type { ShownBoard } from "../requests/boards.ts";
import { useRemote } from "../requests/large_remote.ts";
import { allMetrics, isLarge, isPlain, rowAt, type Row } from "../rows/row.ts";
import { importSelect } from "../use_board.ts";

export interface Selection {
  readonly count: number;
  /** Returns a row, or null while it is not loaded. */
  readonly row: (index: number) => Row | null;
  /** Loads the rows of a range, unless they are loaded. */
  readonly need: (start: number, end: number) => void;
  readonly phase: "ok" | "loading" | "stale";
}

type Select = typeof import("../rows/select.ts").selectRows;

/**
 * Return the rows that a view shows.
 *
 * @param showAll Loads all rows of a board that is not large.
 */
export function useSelection({ head, rows, complete }: ShownBoard, view: View, showAll: () => void): Selection {
  const isRemote = isLarge(head) && !complete;
  const isHere = complete || (!isRemote && !isPlain(view));
  const [select, setSelect] = useState<Select | null>(null);
  useEffect(() => {
    if (select === null) void importSelect().then((module) => setSelect(() => module?.selectRows ?? null));
  }, [isPlain(view)]);
  // Picks and the place in the table do not change the order, so they do not sort twenty thousand rows again.
  const selected = useMemo(
    () => (isHere && !isPlain(view) ? (select?.(rows, view, allMetrics(head)) ?? []) : null),
    [select, rows, isHere, view.sort, view.direction, view.query, view.kind, head],
  );
  const remote = useRemote(isRemote ? head : null, view);
  if (isHere) {
    return {
      count: selected?.length ?? rows.player.length,
      row: (index) => rowAt(rows, selected?.[index] ?? index),
      need: () => undefined,
      phase: selected && !select ? "loading" : "ok",
    };
  }
  const hasFirst = isPlain(view);
  const inHead = (index: number): Row | null => (hasFirst && index < rows.player.length ? rowAt(rows, index) : null);
  if (isRemote) {
    const count = remote.count ?? (hasFirst ? head.total : 0);
    return { ...remote, count, row: (index) => inHead(index) ?? remote.row(index) };
  }
  const need = (_: number, end: number): void => (end > rows.player.length ? showAll() : undefined);
  return { count: head.total, row: inHead, need, phase: "ok" };
}
