/** Random ids, and the receipts of what was handed in here. */

/** Gives 128 random bits in hexadecimal digits, also where the page has no secure context. */
export const makeId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Receipts open the messages of a submission; they stay in this tab. */
export const receipts = {
  keep: (submission: string, receipt: string): void =>
    tryStorage(() => sessionStorage.setItem(`receipt:${submission}`, receipt)),
  find: (submission: string): string | null =>
    tryStorage(() => sessionStorage.getItem(`receipt:${submission}`)) ?? null,
};

function tryStorage<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined; // storage may be forbidden; receipts are then only shown
  }
}
