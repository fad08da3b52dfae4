/**
 * All that the site keeps in the browser. Nothing else is kept: no cookie, no local storage, no token anywhere.
 *
 * | where | key | value | how long |
 * |---|---|---|---|
 * | session storage | `receipt:` and a submission's id | its receipt, which opens its messages | as long as the tab |
 */

import { isReceipt } from "../lib/token.ts";

/** Receipts open the messages of a submission; they stay in this tab. What is no receipt by its form is not kept. */
export const receipts = {
  keep: (submission: string, receipt: string): void =>
    tryStorage(() => {
      if (isReceipt(receipt)) sessionStorage.setItem(keyOf(submission), receipt);
    }),
  find: (submission: string): string | null => {
    const kept = tryStorage(() => sessionStorage.getItem(keyOf(submission))) ?? null;
    if (kept === null || isReceipt(kept)) return kept;
    tryStorage(() => sessionStorage.removeItem(keyOf(submission)));
    return null;
  },
};

const keyOf = (submission: string): string => `receipt:${submission}`;

function tryStorage<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined; // storage may be forbidden; receipts are then only shown
  }
}
