/** The rows that a view shows, by their index: those in memory, and those that the API selects from a large board. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { RemoteRows } from "../api/rows.ts";
import type { Head } from "../api/generated/types.ts";
import { allMetrics, findRow, indexOf, isLarge, isPlain, keyOf, rowAt, type Row } from "../lib/board/table.ts";
import type { View } from "../lib/board/view.ts";
import { importSelect, type ShownBoard } from "./board.ts";

export interface Selection {
  readonly count: number;
  /** Returns a row, or null while it is not loaded. */
  readonly row: (index: number) => Row | null;
  /** Loads the rows of a range, unless they are loaded. */
  readonly need: (start: number, end: number) => void;
  /** `missing`: the API cannot search or sort this board yet. */
  readonly phase: "ok" | "loading" | "stale" | "missing";
}

const importRows = () => import("../api/rows.ts").catch(() => null);

type Select = typeof import("../lib/board/select.ts").selectRows;

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

/** Return the picked rows: those in memory, and for others of a large board what the API says. */
export function usePicks({ head, rows, complete }: ShownBoard, picks: readonly string[]): readonly Row[] {
  const [remote, setRemote] = useState<ReadonlyMap<string, Row>>(new Map());
  const missing = isLarge(head) && !complete ? picks.filter((id) => indexOf(rows, id) < 0 && !remote.has(id)) : [];
  useEffect(() => {
    if (missing.length === 0) return;
    void importRows().then((module) =>
      module?.fetchPicks(head, missing).then((fetched) => setRemote((old) => new Map([...old, ...fetched]))),
    );
  }, [missing.join()]);
  return useMemo(
    () => picks.map((id) => findRow(rows, id) ?? remote.get(id)).filter((row) => row !== undefined),
    [rows, remote, picks.join()],
  );
}

/** Return the rows that the API selects; without a head, none. */
function useRemote(head: Head | null, view: View): Pick<RemoteRows, "count" | "row" | "need" | "phase"> {
  const [, redraw] = useState(0);
  const remote = useRef<RemoteRows>(null);
  const range = useRef<readonly [start: number, end: number]>([0, 1]);
  const key = head === null ? null : keyOf(head, view);
  useEffect(() => {
    if (head === null) return;
    let isOver = false;
    void importRows().then((module) => {
      if (isOver || module === null) return;
      remote.current ??= new module.RemoteRows(() => redraw((count) => count + 1));
      remote.current.show(head, view);
      remote.current.need(...range.current);
    });
    return () => {
      isOver = true;
    };
  }, [key, head?.sequence]);
  useEffect(() => () => remote.current?.stop(), []);
  const current = remote.current?.key === key ? remote.current : null;
  return {
    count: current?.count ?? null,
    row: (index) => current?.row(index) ?? null,
    need: (start, end) => {
      range.current = [start, end];
      current?.need(start, end);
    },
    phase: current?.phase ?? (isPlain(view) ? "ok" : "loading"),
  };
}
