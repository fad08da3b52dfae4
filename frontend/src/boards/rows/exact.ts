/** JSON whose integers may be too large for a number. */

const INTEGER = /^-?\d+$/;

/** Parse JSON; integers that a number cannot hold become bigints, so that they compare exactly. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!hasUnsafe(value)) return value;
  const revive = (_: string, number: unknown, context?: { readonly source?: string }): unknown =>
    isUnsafe(number) && INTEGER.test(context?.source ?? "") ? BigInt(context?.source ?? 0) : number;
  return JSON.parse(text, revive);
}

const isUnsafe = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const hasUnsafe = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.values(value).some(hasUnsafe) : isUnsafe(value);
