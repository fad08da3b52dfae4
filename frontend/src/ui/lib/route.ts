/** Paths and pages. The path names the resource, the query the view. */

import { MAIN } from "../../api/view.ts";

export type Route =
  | { readonly page: "index" }
  | { readonly page: "board"; readonly benchmark: string }
  | { readonly page: "player"; readonly benchmark: string; readonly player: string }
  | { readonly page: "profile"; readonly player: string }
  | { readonly page: "submit"; readonly benchmark: string }
  | { readonly page: "wall"; readonly benchmark: string }
  | { readonly page: "submission"; readonly benchmark: string; readonly submission: string }
  | { readonly page: "about" }
  | { readonly page: "owners"; readonly benchmark?: string }
  | { readonly page: "join" }
  | { readonly page: "tokens" }
  | { readonly page: "guide" }
  | { readonly page: "missing" };

/** Of which benchmark a page is, and the query of its address. */
export interface PageProps {
  readonly benchmark: string;
  readonly search: string;
}

const BENCHMARK = /^[a-z0-9-]{1,64}$/;
const PLAYER = /^[a-z0-9][a-z0-9-]{0,63}$/;
const GUIDE = /^(docs\/[a-z-]+|api\/docs)$/;
const SUBMISSION = /^[0-9a-f-]{36}$/;

/** Return whether a text is the id of a player. No token is. */
export const isPlayer = (text: string): boolean => PLAYER.test(text);

/** Return the page of a path; `missing` if no page has it. */
export function parseRoute(path: string): Route {
  const segments = segmentsOf(path).map(decode);
  const [first, benchmark = "", third, fourth = "", ...rest] = segments;
  if (first === undefined) return { page: "index" };
  const page = segments.join("/");
  if (page === "about" || page === "owners" || page === "join" || page === "tokens") return { page };
  if (GUIDE.test(page)) return { page: "guide" };
  if (first === "p" && third === undefined && PLAYER.test(benchmark)) return { page: "profile", player: benchmark };
  if (first !== "b" || !BENCHMARK.test(benchmark) || rest.length > 0) return { page: "missing" };
  if (third === undefined) return { page: "board", benchmark };
  if (fourth === "" && (third === "wall" || third === "submit" || third === "owners"))
    return { page: third, benchmark };
  if (third === "p" && PLAYER.test(fourth)) return { page: "player", benchmark, player: fourth };
  if (third === "s" && SUBMISSION.test(fourth)) return { page: "submission", benchmark, submission: fourth };
  return { page: "missing" };
}

/** Return the canonical path of a page: no empty segments, nothing encoded needlessly. An unknown path stays encoded. */
export function canonicalPath(path: string): string {
  const segments = segmentsOf(path);
  return `/${(parseRoute(path).page === "missing" ? segments : segments.map(decode)).join("/")}`;
}

const segmentsOf = (path: string): readonly string[] => path.split("/").filter((segment) => segment !== "");

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Return the path of a board, or of another page of a benchmark that keeps the board that the visitor came from. */
export const boardPath = (page: string, board = MAIN): string => `/b/${page}${board === MAIN ? "" : `?board=${board}`}`;
export const wallPath = (benchmark: string, board = MAIN): string => boardPath(`${benchmark}/wall`, board);
export const submitPath = (benchmark: string, board = MAIN): string => boardPath(`${benchmark}/submit`, board);
export const playerPath = (benchmark: string, player: string, board = MAIN): string =>
  boardPath(`${benchmark}/p/${player}`, board);
