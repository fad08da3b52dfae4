/** The view of a board that a visitor chose, and the query of its URL. */

import type { Metric, PlayerKind } from "./generated/types.ts";

export type SortDirection = "asc" | "desc";
export type KindFilter = PlayerKind | "all";

export interface View {
  /** The id of the board; `main` unless the benchmark has several. */
  readonly board: string;
  /** `rank`, `player`, `submissions`, `last` or `score.` + the metric's id. */
  readonly sort: string;
  readonly direction: SortDirection;
  readonly query: string;
  readonly kind: KindFilter;
  /** The first row in the window, counted from 1. */
  readonly from: number;
  /** Ids of the metrics to show; null for all. */
  readonly columns: readonly string[] | null;
  /** Whether the values of each part are shown. */
  readonly parts: boolean;
}

export const MAIN = "main";

const SCORE = "score.";
const BOARD = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Return the sort key of a metric. The prefix distinguishes a metric named "rank" from the rank. */
export const sortKeyOf = (metric: Metric): string => SCORE + metric.id;

/** Return the metric that a sort key names, if any. */
export function sortedMetric(sort: string, metrics: readonly Metric[]): Metric | undefined {
  return sort.startsWith(SCORE) ? metrics.find((metric) => metric.id === sort.slice(SCORE.length)) : undefined;
}

/** Return the direction of the first sort by a column: the best on top. */
export function firstDirection(sort: string, metrics: readonly Metric[]): SortDirection {
  const metric = sortedMetric(sort, metrics);
  if (metric) return metric.direction === "higher" ? "desc" : "asc";
  return sort === "submissions" || sort === "last" ? "desc" : "asc";
}

/** Return the board that a query names. */
export function parseBoard(search: string): string {
  const board = new URLSearchParams(search).get("board") ?? MAIN;
  return BOARD.test(board) ? board : MAIN;
}

/** Parse a query into a view. Invalid values are ignored. */
export function parseView(search: string, metrics: readonly Metric[]): View {
  const query = new URLSearchParams(search);
  const key = query.get("sort") ?? "rank";
  const sort = ["rank", "player", "submissions", "last"].includes(key) || sortedMetric(key, metrics) ? key : "rank";
  const direction = query.get("dir");
  const kind = query.get("kind");
  const columns = query.getAll("cols").filter((id) => metrics.some((metric) => metric.id === id));
  return {
    board: parseBoard(search),
    sort,
    direction: direction === "asc" || direction === "desc" ? direction : firstDirection(sort, metrics),
    query: (query.get("q") ?? "").slice(0, 64), // as long as a name
    kind: kind === "human" || kind === "model" ? kind : "all",
    from: Math.max(1, Math.min(1e9, Math.trunc(Number(query.get("from"))) || 1)),
    columns: columns.length > 0 ? columns : null,
    parts: query.get("parts") === "1",
  };
}

/** Return a view as a query without default values; "" for the plain board. */
export function formatView(view: View, metrics: readonly Metric[]): string {
  const query = new URLSearchParams();
  if (view.board !== MAIN) query.set("board", view.board);
  if (view.sort !== "rank") query.set("sort", view.sort);
  if (view.direction !== firstDirection(view.sort, metrics)) query.set("dir", view.direction);
  if (view.query !== "") query.set("q", view.query);
  if (view.kind !== "all") query.set("kind", view.kind);
  if (view.from > 1) query.set("from", String(view.from));
  for (const id of view.columns ?? []) query.append("cols", id);
  if (view.parts) query.set("parts", "1");
  return query.size === 0 ? "" : `?${query}`;
}

/** Return the view after a click on a column's header: another column best first, the same column reversed. */
export function sortBy(view: View, sort: string, metrics: readonly Metric[]): View {
  const reversed: SortDirection = view.direction === "asc" ? "desc" : "asc";
  return { ...view, sort, direction: view.sort === sort ? reversed : firstDirection(sort, metrics), from: 1 };
}

/** Return the view with a metric shown or hidden. At least one stays shown. */
export function toggleColumn(view: View, id: string, metrics: readonly Metric[]): View {
  const all = metrics.map((metric) => metric.id);
  const shown = view.columns ?? all;
  const columns = all.filter((column) => shown.includes(column) !== (column === id));
  if (columns.length === 0) return view;
  return { ...view, columns: columns.length === all.length ? null : columns };
}
