/**
 * Everything that the site stores in the browser: no cookie, no token.
 *
 * | where | key | value | lifetime |
 * |---|---|---|---|
 * | session storage | `receipt:` and a submission's id | its receipt, which opens its messages | the tab |
 * | session storage | `player:` and a benchmark's id | the player whose submission this tab has submitted last | the tab |
 * | local storage | `group:` and a code | the player as whom the visitor joined the group | until the visitor leaves it |
 * | local storage | `player-key` | the key that makes a guest's name the visitor's own | until the visitor deletes it |
 */

import { isPlayerKey, isReceipt } from "../lib/checks.ts";
import { isPlayer } from "../lib/route.ts";

/** Receipts, stored for this tab. A text that does not look like a receipt is not stored. */
export const receipts = {
  keep: (submission: string, receipt: string): void =>
    tryStorage(() => {
      if (isReceipt(receipt)) sessionStorage.setItem(keyOf(submission), receipt);
    }),
  find: (submission: string): string | null => {
    const stored = tryStorage(() => sessionStorage.getItem(keyOf(submission))) ?? null;
    if (stored === null || isReceipt(stored)) return stored;
    tryStorage(() => sessionStorage.removeItem(keyOf(submission)));
    return null;
  },
  /** Remember the visitor's player. A guest without a name is on no board. */
  keepPlayer: (benchmark: string, player: string): void =>
    tryStorage(() => {
      if (isPlayer(player) && player !== "guest") sessionStorage.setItem(`player:${benchmark}`, player);
    }),
  findPlayer: (benchmark: string): string | null => {
    const stored = tryStorage(() => sessionStorage.getItem(`player:${benchmark}`)) ?? null;
    return stored !== null && isPlayer(stored) ? stored : null;
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
};

/** The groups that the visitor has joined here. */
export const memberships = {
  keep: (code: string, player: string): void => tryStorage(() => localStorage.setItem(`group:${code}`, player)),
  find: (code: string): string | null => tryStorage(() => localStorage.getItem(`group:${code}`)) ?? null,
  drop: (code: string): void => tryStorage(() => localStorage.removeItem(`group:${code}`)),
};

const PLAYER_KEY = "player-key";
const keyOf = (submission: string): string => `receipt:${submission}`;

function tryStorage<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined; // Storage may be disabled. Receipts are then only shown.
  }
}
