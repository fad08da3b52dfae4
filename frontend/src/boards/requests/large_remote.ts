/** Rows of a board that is too large to load, as hooks. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Head } from "../../api/generated/types.ts";
import type { View } from "../../api/view.ts";
import { findRow, indexOf, isLarge, isPlain, type Row } from "../rows/row.ts";
import type { ShownBoard } from "./boards.ts";
import type { RemoteRows } from "./large_rows.ts";

const importRows = () => import("./large_rows.ts").catch(() => null);

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
export function useRemote(head: Head | null, view: View) {
  const [, redraw] = useState(0);
  const [remote, setRemote] = useState<RemoteRows | null>(null);
  const range = useRef<readonly [start: number, end: number]>([0, 1]);
  useLayoutEffect(() => {
    if (head === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    void importRows().then((module) => {
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
