/**
 * Everything that the site stores in the browser: no cookie, and a token only if the visitor asks for that.
 *
 * | where | key | value | lifetime |
 * |---|---|---|---|
 * | session storage | `receipt:` and a submission's id | its receipt, which opens its messages | the tab |
 * | local storage | `player:` and a benchmark's id | the player whose result this browser has submitted last | until the visitor deletes it |
 * | local storage | `player-name` | the name that the visitor gave last | until the visitor deletes it, or gives none |
 * | local storage | `expected:` and a benchmark's id | the submission that this browser made last, and when: open boards look for it | the next submission |
 * | session storage | `join` | the code of a link, and the key by which its token can be asked for again | until the token is shown |
 * | session storage | `acts` | what an owner did in the last hour, which the page can undo; no token | the tab |
 * | session storage | `token` | an owner's token, which its pages need | the tab, or until it is refused |
 * | local storage | `token` | the visitor's token (`hooks/token.ts`) | until the visitor has it forgotten |
 * | local storage | `player-key` | the key that makes a guest's name the visitor's own | until the visitor deletes it |
 */

import { hasToken, isPlayerKey, isReceipt } from "../lib/checks.ts";
import type { Rows } from "../api/generated/types.ts";
import { isPlayer } from "../lib/route.ts";

// An open board needs both at once, so it asks for one file.
export { watchRows } from "./hold.ts";

/** Receipts, stored for this tab. A text that does not look like a receipt is not stored. */
export const receipts = {
  keep: (submission: string, receipt: string): void =>
    tryStorage(() => {
      if (isReceipt(receipt)) sessionStorage.setItem(keyOf(submission), receipt);
    }),
  find: (submission: string): string | null => {
    const stored = tryStorage(() => sessionStorage.getItem(keyOf(submission))) ?? null;
    return stored !== null && isReceipt(stored) ? stored : null;
  },
  /** Remember the visitor's player. A guest without a name is on no board. */
  keepPlayer: (benchmark: string, player: string): void =>
    tryStorage(() => {
      if (isPlayer(player) && player !== "guest") localStorage.setItem(`player:${benchmark}`, player);
    }),
  findPlayer: (benchmark: string): string | null => {
    const stored = tryStorage(() => localStorage.getItem(`player:${benchmark}`)) ?? null;
    return stored !== null && isPlayer(stored) ? stored : null;
  },
};

/** What this browser submitted last. For a minute, boards in all its tabs ask often, until they show it. */
export const expected = {
  keep: (benchmark: string, submission: string): void =>
    tryStorage(() => localStorage.setItem(`expected:${benchmark}`, `${submission} ${Date.now()}`)),
  /** Return whether rows lack what was submitted just now. Rows never have a result that is not its player's best. */
  isMissing: (benchmark: string, rows: Pick<Rows, "submission">): boolean => {
    const [submission = "", at] = (tryStorage(() => localStorage.getItem(`expected:${benchmark}`)) ?? "").split(" ");
    // After a clock was set back, what was submitted is in the future.
    return Math.abs(Date.now() - Number(at)) < EXPECTED_MILLISECONDS && !rows.submission.includes(submission);
  },
  /** Call `ask` when another tab submits something; return what ends that. */
  watch: (benchmark: string, ask: () => void): (() => void) => {
    const listen = ({ key }: StorageEvent): void => {
      if (key === `expected:${benchmark}`) ask();
    };
    addEventListener("storage", listen);
    return () => removeEventListener("storage", listen);
  },
};

/** The player key of this browser. */
export const playerKeys = {
  find: (): string | null => {
    const stored = tryStorage(() => localStorage.getItem(PLAYER_KEY)) ?? null;
    return stored !== null && isPlayerKey(stored) ? stored : null;
  },
  keep: (key: string): void =>
    tryStorage(() => {
      if (isPlayerKey(key)) localStorage.setItem(PLAYER_KEY, key);
    }),
  drop: (): void => tryStorage(() => localStorage.removeItem(PLAYER_KEY)),
};

/** The name that the visitor gave last. */
export const playerNames = {
  find: (): string => tryStorage(() => localStorage.getItem(PLAYER_NAME)) ?? "",
  keep: (name: string): void =>
    tryStorage(() => {
      if (name === "") localStorage.removeItem(PLAYER_NAME);
      else if (!hasToken(name)) localStorage.setItem(PLAYER_NAME, name);
    }),
};

const PLAYER_KEY = "player-key";
const EXPECTED_MILLISECONDS = 60_000;
const PLAYER_NAME = "player-name";
const keyOf = (submission: string): string => `receipt:${submission}`;

function tryStorage<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined; // Storage may be disabled. Receipts are then only shown.
  }
}
