/** A board as it is shown: the head, and all rows once a view needs them, always of the same publishing. */

import { useEffect, useRef, useState } from "preact/hooks";

import { changedPlayers, describeChanges } from "../lib/changes.ts";
import { HEAD_SECONDS, retryDelay } from "../lib/schedule.ts";
import type { Head, Rows } from "../api/generated/snapshots.ts";
import { fetchHead, fetchRows } from "../api/client.ts";
import { usePolled, type Polled } from "./polling.ts";

const MARK_MILLISECONDS = 4000;

/** What the page draws. */
export interface ShownBoard {
  readonly head: Head;
  readonly rows: Rows;
  /** Whether `rows` are all there are. */
  readonly complete: boolean;
}

export interface Board {
  readonly phase: Polled<Head>["phase"];
  readonly shown: ShownBoard | null;
  /** Whether rows are on their way that the view needs. */
  readonly waiting: boolean;
  /** Whether newer results wait to be shown. */
  readonly held: boolean;
  readonly showHeld: () => void;
  readonly retry: () => void;
  /** The players that changed a moment ago. */
  readonly changed: ReadonlySet<string>;
  /** What changed, in words. */
  readonly announcement: string;
}

/**
 * Keeps a board up to date.
 *
 * @param needsAll Tells whether the view needs more rows than the head has.
 * @param hold Whether to offer newer results instead of showing them.
 */
export function useBoard(benchmark: string, needsAll: (head: Head) => boolean, hold: boolean): Board {
  const polled = usePolled(
    benchmark,
    (signal) => fetchHead(benchmark, signal),
    () => HEAD_SECONDS,
  );
  const [shown, setShown] = useState<ShownBoard | null>(null);
  const [released, setReleased] = useState<number | null>(null);
  const [rowsFailures, setRowsFailures] = useState(0);
  const [changes, setChanges] = useState<{ changed: ReadonlySet<string>; announcement: string }>({
    changed: new Set(),
    announcement: "",
  });
  const before = useRef<ShownBoard | null>(null);

  const current = shown?.head.id === benchmark ? shown : null;
  const latest = polled.value;
  const isNew = latest !== null && current !== null && latest.rows_url !== current.head.rows_url;
  const held = isNew && hold && released !== latest.sequence;
  const target = held || latest === null ? (current?.head ?? null) : latest;
  const wantsAll = target !== null && needsAll(target);
  const isThere = current !== null && current.head === target && (current.complete || !wantsAll);

  useEffect(() => {
    if (target === null || isThere) return;
    if (!wantsAll) {
      setShown({ head: target, rows: target.rows, complete: target.rows.player.length >= target.total });
      return;
    }
    const ending = new AbortController();
    let timer = 0;
    fetchRows(target.rows_url, ending.signal).then(
      (fetched) => {
        if (fetched.kind === "ok") {
          setRowsFailures(0);
          setShown({ head: target, rows: fetched.value.rows, complete: true });
        } else {
          // Old rows files are deleted after a while: a fresh head names the new one.
          polled.retry();
          timer = window.setTimeout(
            () => setRowsFailures((failures) => failures + 1),
            retryDelay(rowsFailures + 1, Math.random()) * 1000,
          );
        }
      },
      () => undefined,
    );
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [target, wantsAll, isThere, rowsFailures]);

  useEffect(() => {
    const old = before.current;
    before.current = current;
    if (!old || !current || old.head.id !== current.head.id || old.head.rows_url === current.head.rows_url) return;
    // The first rows of both: what came in because more rows were loaded is no change.
    const changed = changedPlayers(old.head.rows, current.head.rows);
    setChanges({ changed, announcement: describeChanges(changed, current.head.rows) });
    const timer = setTimeout(() => setChanges((known) => ({ ...known, changed: new Set() })), MARK_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [current]);

  return {
    phase: rowsFailures > 0 && !isThere ? "stale" : polled.phase,
    shown: current,
    waiting: target !== null && !isThere,
    held,
    showHeld: () => setReleased(latest?.sequence ?? null),
    retry: polled.retry,
    ...changes,
  };
}
