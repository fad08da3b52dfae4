/** What an outcome means for whoever handed in. */

import type { Outcome } from "../api/answers.ts";

export interface Meaning {
  readonly label: string;
  readonly tone: "good" | "bad" | "neutral";
  readonly explanation: string;
  readonly next: string;
}

const MEANINGS: Readonly<Record<Outcome, Meaning>> = {
  scored: {
    label: "Scored",
    tone: "good",
    explanation: "The result has its scores; whether they count is for the board’s rule to say.",
    next: "Look at the board, or hand in a better one: what counts is said in the board's rule.",
  },
  invalid: {
    label: "Invalid",
    tone: "bad",
    explanation:
      "Something in the result is not as this benchmark asks for, so there is no score. It changes nothing on the board.",
    next: "Mend what the message names and hand the result in again.",
  },
  evaluator_error: {
    label: "Benchmark at fault",
    tone: "neutral",
    explanation: "The benchmark's own evaluation failed. This is not your fault; its owner has been told.",
    next: "Nothing needs mending on your side. Try again later.",
  },
  internal_error: {
    label: "Our fault",
    tone: "neutral",
    explanation: "We could not score the result. This is not your fault, and the result is kept.",
    next: "Nothing needs mending on your side. Try again later; the result may also be scored by itself.",
  },
};

/** Gives what an outcome means. */
export const meaningOf = (outcome: Outcome): Meaning => MEANINGS[outcome];

/** Gives what a script printed, or "" where the message says the same. */
export function printedBeside(message: string | null, stdout: string, stderr: string): string {
  const texts = [stdout, stderr].filter((text) => text.trim() !== "");
  return texts.map((text) => text.trim()).join("\n") === message ? "" : texts.join("\n");
}

export const MAX_DETAIL = 65_536;

/** Returns a detail as JSON to read: indented where it is short, and cut with a note where it is long. */
export function formatDetail(detail: unknown): string {
  const compact = JSON.stringify(detail);
  const text = compact.length > MAX_DETAIL ? compact : JSON.stringify(detail, null, 2);
  if (text.length <= MAX_DETAIL) return text;
  return `${text.slice(0, MAX_DETAIL)}\n… This is the beginning; the API returns all of it.`;
}
