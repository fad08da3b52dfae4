/**
 * Everything that the site stores in the browser: no cookie, a token only if the visitor asks for
 * that, and never one in an address or log.
 *
 * | where | key | value | lifetime |
 * |---|---|---|---|
 * | session storage | `receipt:` and a submission's id | its receipt, which opens its messages | the tab |
 * | local storage | `player:` and a benchmark's id | the player whose result this browser has submitted last | until the visitor deletes it |
 * | local storage | `above:` and a benchmark's id | the rows above the visitor when the front page last said so | until the visitor deletes it |
 * | local storage | `looks:` and a benchmark's and a board's id | the ranks of its first rows when this browser showed it: at most a dozen times | until the visitor deletes it |
 * | local storage | `player-name` | the name that the visitor gave last | until the visitor deletes it, or gives none |
 * | local storage | `expected:` and a benchmark's id | the submission that this browser made last, and when: open boards look for it | the next submission |
 * | session storage | `join` | the code of a link, and the key by which its token can be asked for again | until the token is shown |
 * | session storage | `token` | an owner's token, which its pages need | the tab, or until it is refused |
 * | local storage | `token` | the visitor's token | until the visitor has it forgotten |
 * | local storage | `player-key` | the key that makes a guest's name the visitor's own | until the visitor deletes it |
 */

import { useState } from "preact/hooks";

import type { Rows } from "../../api/generated/types.ts";
import { hasToken, isPlayerKey, isReceipt } from "../lib/checks.ts";
import { isPlayer } from "../lib/route.ts";

// An open board needs both at once, so it asks for one file.
export { watchRows } from "./hold.ts";

/** What keeps one text in the browser, and finds it again: only one that is right, and `keep("")` keeps none. */
interface Slot {
  readonly find: () => string | null;
  readonly keep: (text: string) => void;
}

function makeSlot(
  storage: "localStorage" | "sessionStorage",
  key: string,
  isRight: (text: string) => boolean = () => true,
): Slot {
  return {
    find: () => {
      const text = tryStorage(() => globalThis[storage].getItem(key)) ?? null;
      return text !== null && isRight(text) ? text : null;
    },
    keep: (text) =>
      tryStorage(() => {
        if (text === "") globalThis[storage].removeItem(key);
        else if (isRight(text)) globalThis[storage].setItem(key, text);
      }),
  };
}

/** Return what a use of the storage returns; undefined where the browser forbids it. */
function tryStorage<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined; // Storage may be disabled. Receipts and tokens are then only shown.
  }
}

/** The receipt of a submission. */
export const receiptOf = (submission: string): Slot => makeSlot("sessionStorage", `receipt:${submission}`, isReceipt);

/** The visitor's player. A guest without a name is on no board. */
export const playerOf = (benchmark: string): Slot =>
  makeSlot("localStorage", `player:${benchmark}`, (player) => isPlayer(player) && player !== "guest");

/** Return the visitor's player on any board; null if this browser has submitted nothing. */
export const anyPlayer = (): string | null =>
  (tryStorage(() => Object.keys(localStorage)) ?? [])
    .filter((key) => key.startsWith("player:"))
    .map((key) => playerOf(key.slice(7)).find())
    .find((player) => player !== null) ?? null;

/** The ids of the rows above the visitor's, as the visitor has seen them. */
export const aboveOf = (benchmark: string): Slot => makeSlot("localStorage", `above:${benchmark}`);

/** The ranks that this browser has shown of a board, as JSON. */
export const looksOf = (board: string): Slot => makeSlot("localStorage", `looks:${board}`);

/** The player key of this browser. */
export const keptKey = makeSlot("localStorage", "player-key", isPlayerKey);

/** The name that the visitor gave last. */
export const keptName = makeSlot("localStorage", "player-name", (name) => !hasToken(name));

/** The code of a link by which the visitor is joining, and the key of the request. */
export const joinKey = makeSlot("sessionStorage", "join");

/** The token of an owner, who opens many pages: kept until the tab is closed. */
export const tabToken = makeSlot("sessionStorage", "token");

/** The token that the visitor had the browser keep. */
export const keptToken = makeSlot("localStorage", "token");

let current = tabToken.find() ?? keptToken.find() ?? "";

/** Return the token that all pages share, empty if there is none, and what changes it. */
export function useToken(): readonly [token: string, keep: (token: string) => void] {
  const [token, setToken] = useState(current);
  const keep = (next: string): void => {
    current = next;
    setToken(next);
  };
  return [token, keep];
}

const EXPECTED_MILLISECONDS = 60_000;

/** What this browser submitted last. For a minute, its boards ask often, until they show it. */
export const expected = {
  keep: (benchmark: string, submission: string): void => expectedOf(benchmark).keep(`${submission} ${Date.now()}`),
  /** Return whether rows lack what was submitted just now. Rows never have a result that is not its player's best. */
  isMissing: (benchmark: string, rows: Pick<Rows, "submission">): boolean => {
    const [submission = "", at] = (expectedOf(benchmark).find() ?? "").split(" ");
    // After a clock was set back, what was submitted is in the future.
    return Math.abs(Date.now() - Number(at)) < EXPECTED_MILLISECONDS && !rows.submission.includes(submission);
  },
};

const expectedOf = (benchmark: string): Slot => makeSlot("localStorage", `expected:${benchmark}`);
