/** Tokens and receipts: what one looks like, and what to do where it is refused. */

import type { ProblemAnswer } from "../api/answers.ts";

const TOKEN = /^laurel_[\x21-\x7e]+$/;
const RECEIPT = /^receipt_[\x21-\x7e]+$/;
const PREFIX = "laurel_";
// Shorter ones are names like any other.
const LEAST_SECRET = 20;
const ADVICE: Readonly<Record<number, string>> = {
  401: "Look whether the token is copied whole; for a new one ask the site’s administrator.",
  403: "The site’s administrator can make a token that covers this benchmark.",
};

/** Says what is wrong with a token as it stands, or null. */
export const checkToken = (token: string): string | null =>
  TOKEN.test(token) ? null : "A token begins with laurel_ and has no spaces. Copy it whole.";

/** Returns whether a text holds a token, or something that may be one. */
export const hasToken = (text: string): boolean => text.includes(PREFIX);

/** Returns whether a text is a receipt by its form. */
export const isReceipt = (text: string): boolean => RECEIPT.test(text) && !hasToken(text);

/** Returns what is wrong with a receipt as it stands, or null. */
export function checkReceipt(text: string): string | null {
  if (hasToken(text)) {
    return "This is a token, not a receipt, and was not sent. Never paste a token here: run laurel status with it instead.";
  }
  return isReceipt(text) ? null : "A receipt begins with receipt_ and has no spaces. Copy it whole.";
}

/** Returns what is wrong with a player's name as it stands, or null; the server judges the rest. */
export const checkName = (name: string): string | null =>
  name.split(PREFIX, 2).slice(1).some((rest) => rest.length >= LEAST_SECRET) ? "The name holds a token, which everybody would see. Paste it into the field “Token”." : null;

/** Gives what a refusal says, and what to do where the token is at fault. */
export function explainRefusal({ type, status, detail, errors = [] }: ProblemAnswer): readonly string[] {
  const places = errors
    .map((one) => [one.pointer ?? one.parameter, one.detail].filter(Boolean).join(": "))
    .filter((one) => !one.endsWith(detail));
  const advice = status === 401 || type.endsWith(":not-covered") ? ADVICE[status] : undefined;
  return [...new Set([detail, ...places, ...(advice === undefined ? [] : [advice])])];
}
