/** Rows of a board that is too large to load, as hooks. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Head } from "../../api/generated/types.ts";
import type { View } from "../../api/view.ts";
import { findRow, indexOf, isLarge, isPlain, type Row } from "../rows/row.ts";
import type { ShownBoard } from "./boards.ts";
import type { RemoteRows } from "./large_rows.ts";

/** Return what selects rows of a board. */
const keyOf = ({ id, board }: Head, { query }: View): string => [id, board, query.trim()].join("\n");

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
export function useRemote(head: Head | null, view: View): Pick<RemoteRows, "count" | "row" | "need" | "phase"> {
  const [, redraw] = useState(0);
  const remote = useRef<RemoteRows>(null);
  const range = useRef<readonly [start: number, end: number]>([0, 1]);
  const key = head === null ? null : keyOf(head, view);
  useEffect(() => {
    if (head === null || key === null) return;
    let isOver = false;
    void importRows().then((module) => {
      if (isOver || module === null) return;
      remote.current ??= new module.RemoteRows(() => redraw((count) => count + 1));
      remote.current.show(key, head, view);
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
