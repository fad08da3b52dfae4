/** A board that updates itself: the head, and all rows once the view needs them, always of the same publish. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { nextPause } from "../../../sdk/beat.js";
import { findServed, headPath } from "../api/client.ts";
import type { Head } from "../api/generated/types.ts";
import { retryDelay, usePolled, type Polled } from "../ui/hooks/polling.ts";
import { fetchBoard, loadRows, type ShownBoard } from "./requests/boards.ts";
import { isWhole } from "./rows/row.ts";

const HIGHLIGHT_MILLISECONDS = 4000;

export interface Board {
  readonly phase: Polled<Head>["phase"];
  readonly shown: ShownBoard | null;
  /** Whether rows that the view needs are loading. */
  readonly waiting: boolean;
  /** Whether newer results wait until the visitor asks for them. */
  readonly hasNewer: boolean;
  readonly showNewer: () => void;
  readonly retry: () => void;
  /** The ids of the rows whose results have just changed. */
  readonly changed: ReadonlySet<string>;
  /** The change in words, for screen readers. */
  readonly announcement: string;
  /** While a head is drawn for the first time, the one before it: what differs is news. */
  readonly before: { readonly current: Head | null };
}

/** Import what the first view of a board does not need. */
export const importSelect = () => import("./rows/select.ts").catch(() => null);

/**
 * Keep a board up to date. While another board loads, the one before stays.
 *
 * @param needsAll Returns whether the view needs more rows than the head has.
 * @param offers Whether to offer newer results instead of showing them.
 */
export function useBoard(benchmark: string, board: string, needsAll: (head: Head) => boolean, offers: boolean): Board {
  const isExpected = useRef<(head: Head) => boolean>(() => false);
  const before = useRef<Head | null>(null);
  const polled = usePolled(
    `${benchmark} ${board}`,
    async (signal) => {
      const fetched = await fetchBoard(benchmark, board, signal);
      // The page was served minutes ago: only what differs from the first answer is news.
      if (fetched.kind === "ok" && before.current?.board !== fetched.value.board) before.current = fetched.value;
      return fetched;
    },
    (head, unchanged) => nextPause(unchanged, head.beat, isExpected.current(head)),
    findServed<Head>(headPath(benchmark, board)),
  );
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    const ends: (() => void)[] = [];
    void import("../ui/hooks/storage.ts").then(
      ({ expected, watchRows }) => {
        isExpected.current = (head) => expected.isMissing(benchmark, head.rows);
        ends.push(watchRows(setIsHeld));
      },
      () => {},
    );
    return () => ends.forEach((end) => end());
  }, [benchmark]);
  const [shown, setShown] = useState<ShownBoard | null>(() =>
    polled.value && !needsAll(polled.value) ? showFirst(polled.value) : null,
  );
  const [wanted, setWanted] = useState<number | null>(null);
  const [rowsFailures, setRowsFailures] = useState(0);
  const current = shown?.head.id === benchmark ? shown : null;
  const latest = polled.value;
  const isNew = latest !== null && current?.head.board === latest.board && !isSame(latest, current.head);
  const hasNewer = isNew && offers && wanted !== latest.sequence;
  const target = hasNewer || (isNew && isHeld) || latest === null ? (current?.head ?? null) : latest;
  const wantsAll = target !== null && needsAll(target);
  const isLoaded = current !== null && current.head === target && (current.complete || !wantsAll);

  useEffect(() => {
    if (target === null || isLoaded) return;
    if (!wantsAll) {
      setShown(showFirst(target));
      return;
    }
    let timer = 0;
    let isOver = false;
    void loadRows(target).then((fetched) => {
      if (isOver) return;
      if (fetched.kind === "ok") {
        setRowsFailures(0);
        setShown({ head: target, rows: fetched.value, complete: true });
      } else {
        // Files that no head names are deleted after a while. A new head names new ones.
        polled.retry();
        timer = window.setTimeout(
          () => setRowsFailures((failures) => failures + 1),
          retryDelay(rowsFailures + 1, Math.random()) * 1000,
        );
      }
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [target, wantsAll, isLoaded, rowsFailures]);

  const changes = useChanges(before, current);
  return {
    phase: rowsFailures > 0 && !isLoaded ? "stale" : polled.phase,
    shown: current,
    waiting: target !== null && !isLoaded,
    hasNewer,
    showNewer: () => setWanted(latest?.sequence ?? null),
    retry: polled.retry,
    before,
    ...changes,
  };
}

/** Return what has changed since the head before, for a while; `before` becomes the present one. */
function useChanges(before: { current: Head | null }, current: ShownBoard | null) {
  const [changes, setChanges] = useState<Pick<Board, "changed" | "announcement">>({
    changed: new Set(),
    announcement: "",
  });
  // A layout effect sees what was served before an answer can come: it is no change of that.
  useLayoutEffect(() => {
    const old = before.current;
    if (!old || !current || old.board !== current.head.board || isSame(old, current.head)) return;
    before.current = current.head;
    void importSelect().then((module) => {
      if (module === null) return;
      // Compare the rows of both heads: rows that were only loaded later have not changed.
      const changed = module.changedRows(old.rows, current.head.rows);
      setChanges({ changed, announcement: module.describeChanges(changed, current.head.rows) });
    });
    const timer = setTimeout(() => setChanges((last) => ({ ...last, changed: new Set() })), HIGHLIGHT_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [current]);
  return changes;
}

/** Return a head with the rows that it has. */
const showFirst = (head: Head): ShownBoard => ({ head, rows: head.rows, complete: isWhole(head) });

/** Return whether two heads of a board are of the same rendering. */
const isSame = (a: Head, b: Head): boolean => a.sequence === b.sequence && a.version === b.version;
