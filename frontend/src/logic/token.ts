/** Tokens: what one looks like, and what to do where it is refused. */

import type { ProblemAnswer } from "../answers.ts";

const TOKEN = /^laurel_[\x21-\x7e]+$/;
const ADVICE: Readonly<Record<number, string>> = {
  401: "Look whether the token is copied whole; for a new one ask the site’s administrator.",
  403: "The site’s administrator can make a token that covers this benchmark.",
};

/** Says what is wrong with a token as it stands, or null. */
export const checkToken = (token: string): string | null =>
  TOKEN.test(token) ? null : "A token begins with laurel_ and has no spaces. Copy it whole.";

/** Gives what a refusal says, and what to do where the token is at fault. */
export function explainRefusal({ type, status, detail, errors = [] }: ProblemAnswer): readonly string[] {
  const places = errors
    .map((one) => [one.pointer ?? one.parameter, one.detail].filter(Boolean).join(": "))
    .filter((one) => !one.endsWith(detail));
  const advice = status === 401 || type.endsWith(":not-covered") ? ADVICE[status] : undefined;
  return [...new Set([detail, ...places, ...(advice === undefined ? [] : [advice])])];
}
