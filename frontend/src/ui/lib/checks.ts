/** What the browser checks before it sends a result, name, token or receipt, and the server’s problems in words. */

import { readName } from "../../../../sdk/names.js";
import type { Problem } from "../../api/generated/types.ts";
import { formatCount, say } from "../../languages/say.ts";

const TOKEN = /^laurel_[\x21-\x7e]+$/;
const RECEIPT = /^receipt_[\x21-\x7e]+$/;
const PLAYER_KEY = /^player_[0-9a-f]{32}$/;
const PREFIX = "laurel_";
// A name may contain the prefix; only a longer rest can be a token's secret.
const MIN_SECRET_LENGTH = 20;
const ADVICE: Readonly<Record<number, string>> = {
  401: say("Check that you copied the whole token. For a new one, ask the benchmark’s owner."),
  403: say("The benchmark’s owner can make a link to a token that covers it."),
};
/** The fields of forms, by the API's parameters, and by pointers into bodies. */
const FIELDS: Readonly<Record<string, string>> = {
  player: say("Name"),
  label: say("Label"),
  part: say("Part"),
  "Laurel-Player-Key": say("Player key"),
  "/uses": say("How many"),
};

/** What `readName` finds, in words. */
const NAME_FAULTS: Readonly<Record<string, string>> = {
  long: say("The name is longer than 64 characters."),
  half: say("The name contains half an emoji. Type it again."),
  invisible: say("The name contains an invisible character. Type it again by hand."),
  letters: say("The name needs a letter or a digit."),
  marks: say("The name has more than three accents on a letter."),
  accent: say("The name has an accent that is on no letter of its script."),
  rank: say("No guest may be named verified, official, admin or moderator."),
  number: say("The name ends in “·” and a number, as the site marks the second player of a name."),
};

/** Return what is wrong with a result that was typed, or null. */
export function checkResult(text: string, limit: number, isJson = true): string | null {
  if (text.trim() === "") return say("Choose a file, or enter a result.");
  const size = new TextEncoder().encode(text).length;
  if (size > limit)
    return say("The result has {size}; the limit is {limit}.", { size: formatBytes(size), limit: formatBytes(limit) });
  if (!isJson) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? null
      : say("A result is a JSON object or array; this is neither.");
  } catch (error) {
    return say("This is not JSON: {error}", { error: (error as Error).message });
  }
}

/** Return what is wrong with a token, or null. */
export const checkToken = (token: string): string | null =>
  TOKEN.test(token) ? null : say("A token begins with laurel_ and has no spaces. Copy the whole token.");

export const hasToken = (text: string): boolean => text.includes(PREFIX);

/** Return whether a text looks like a receipt. */
export const isReceipt = (text: string): boolean => RECEIPT.test(text) && !hasToken(text);

/** Return whether a text is a player key. */
export const isPlayerKey = (text: string): boolean => PLAYER_KEY.test(text);

/** Return 128 random bits in hexadecimal digits. crypto.randomUUID does not exist on a page without HTTPS. */
export const makeRandomDigits = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return what is wrong with a text that should be a receipt or a token, or null. */
export const checkCredential = (text: string): string | null =>
  isReceipt(text) || TOKEN.test(text)
    ? null
    : say("A receipt begins with receipt_, a token with laurel_, and neither has spaces. Copy the whole text.");

/** Return what is wrong with a player's name, or null; a blank one is none. */
export function checkName(name: string): string | null {
  const [, rest = ""] = name.split(PREFIX, 2);
  if (rest.length >= MIN_SECRET_LENGTH)
    return say("The name contains a token, which everybody would see. Paste it into the field “Token”.");
  const { fault, message } = readName(name);
  return fault === null || name.trim() === "" ? null : (NAME_FAULTS[fault] ?? message);
}

/** Return the sentences of a problem, with advice if the token is the cause. */
export function explainProblem({ type, status, detail, errors = [] }: Problem): readonly string[] {
  const details = errors
    .map((error) => [error.pointer ?? error.parameter, error.detail].filter(Boolean).join(": "))
    .filter((text) => !text.endsWith(detail));
  const parameter = errors[0]?.parameter ?? errors[0]?.pointer ?? "";
  const field = FIELDS[parameter];
  const summary =
    field && detail.startsWith(`${parameter}: `)
      ? field + detail.slice(parameter.length)
      : detail.replace(/^(quota|body): \w/, (start) => start.slice(-1).toUpperCase());
  const advice = status === 401 || type.endsWith(":not-covered") ? ADVICE[status] : undefined;
  return [...new Set([summary, ...details, ...(advice === undefined ? [] : [advice])])];
}

/** Return a size: `1 MiB`, `2.5 MB`, `300 bytes`. */
export function formatBytes(bytes: number): string {
  const isBinary = bytes % 1024 === 0;
  const base = isBinary ? 1024 : 1000;
  if (bytes < base) return say("{count} byte|{count} bytes", { count: bytes });
  const names = isBinary ? ["KiB", "MiB", "GiB"] : ["KB", "MB", "GB"];
  const power = Math.min(names.length, Math.floor(Math.log(bytes) / Math.log(base)));
  return `${formatCount(Number((bytes / base ** power).toFixed(1)))} ${names[power - 1]}`;
}

/** Return that a file is larger than a limit in bytes. */
export const describeSize = (file: Pick<File, "name" | "size">, limit: number): string =>
  say("{file} has {size}; the limit is {limit}.", {
    file: file.name,
    size: formatBytes(file.size),
    limit: formatBytes(limit),
  });
