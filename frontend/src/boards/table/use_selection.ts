/** The rows that a view shows, by their index: those in memory, and those that the API selects from a large board. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Head } from "../../api/generated/types.ts";
import type { View } from "../../api/view.ts";
import type { ShownBoard } from "../requests/boards.ts";
import type { RemoteRows } from "../requests/large_rows.ts";
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
  // The place in the table does not change the order, so it does not sort twenty thousand rows again.
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

/** Return the rows that the API selects; without a head, none. */
function useRemote(head: Head | null, view: View) {
  const [, redraw] = useState(0);
  const [remote, setRemote] = useState<RemoteRows | null>(null);
  const range = useRef<readonly [start: number, end: number]>([0, 1]);
  useLayoutEffect(() => {
    if (head === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    void import("../requests/large_rows.ts")
      .catch(() => null)
      .then((module) => {
        if (module === null || signal.aborted) return;
        setRemote(new module.RemoteRows(view, signal, () => redraw((count) => count + 1)));
      });
    return () => {
      controller.abort();
      setRemote(null);
    };
  }, [head && [head.id, head.board, view.query.trim()].join("\n")]);
  const need = (start: number, end: number): void => {
    range.current = [start, end];
    if (head !== null) remote?.need(head, start, end);
  };
  useEffect(() => need(...range.current), [remote, head?.sequence]);
  return {
    count: remote?.count ?? null,
    row: (index: number) => remote?.row(index) ?? null,
    need,
    phase: remote?.phase ?? (isPlain(view) ? "ok" : "loading"),
  };
}
