/** Random ids, and the receipts of what was handed in here. */

/** Gives a random id (a UUID, version 4), also where the page has no secure context. */
export function makeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

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
