/** Paths ↔ pages. The path names the thing, the query the view. */

export type Route =
  | { readonly page: "index" }
  | { readonly page: "board"; readonly benchmark: string }
  | { readonly page: "player"; readonly benchmark: string; readonly player: string }
  | { readonly page: "submit"; readonly benchmark: string }
  | { readonly page: "submission"; readonly benchmark: string; readonly submission: string }
  | { readonly page: "about" }
  | { readonly page: "api" }
  | { readonly page: "missing" };

const BENCHMARK = /^[a-z0-9-]{1,64}$/;
const PLAYER = /^[a-z0-9][a-z0-9-]{0,63}$/;
const SUBMISSION = /^[0-9a-f-]{36}$/;

/** Tells which page a path is; what no page has is `missing`. */
export function parseRoute(path: string): Route {
  const steps = stepsOf(path).map(decode);
  const [first, benchmark = "", third, fourth = "", ...rest] = steps;
  if (first === undefined) return { page: "index" };
  if (steps.join("/") === "about") return { page: "about" };
  if (steps.join("/") === "api/docs") return { page: "api" };
  if (first !== "b" || !BENCHMARK.test(benchmark) || rest.length > 0) return { page: "missing" };
  if (third === undefined) return { page: "board", benchmark };
  if (third === "submit" && fourth === "") return { page: "submit", benchmark };
  if (third === "p" && PLAYER.test(fourth)) return { page: "player", benchmark, player: fourth };
  if (third === "s" && SUBMISSION.test(fourth)) return { page: "submission", benchmark, submission: fourth };
  return { page: "missing" };
}

/** Returns the one path of a page: no empty steps, nothing encoded that need not be; an unknown path stays encoded. */
export function canonicalPath(path: string): string {
  const steps = stepsOf(path);
  return `/${(parseRoute(path).page === "missing" ? steps : steps.map(decode)).join("/")}`;
}

const stepsOf = (path: string): readonly string[] => path.split("/").filter((step) => step !== "");

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

export const boardPath = (benchmark: string): string => `/b/${benchmark}`;
export const submitPath = (benchmark: string): string => `/b/${benchmark}/submit`;
export const playerPath = (benchmark: string, player: string): string => `/b/${benchmark}/p/${player}`;
export const submissionPath = (benchmark: string, submission: string): string => `/b/${benchmark}/s/${submission}`;
