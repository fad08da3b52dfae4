/** What a visitor chose to see of a board ↔ the query of its address. */

import type { Metric, PlayerKind } from "../api/generated/snapshots.ts";

export type SortDirection = "asc" | "desc";
export type KindFilter = PlayerKind | "all";

/** A board as it is looked at. `sort` is `rank`, `player`, `submissions`, `last` or `score.` + the metric's id. */
export interface View {
  readonly sort: string;
  readonly direction: SortDirection;
  readonly query: string;
  readonly kind: KindFilter;
  readonly page: number;
  /** Ids of the metrics to show; null shows all. */
  readonly columns: readonly string[] | null;
  readonly picks: readonly string[];
}

export const MAX_PICKS = 5;
const SCORE = "score.";
const PLAYER = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Gives the sort key of a metric; the prefix keeps a metric named "rank" apart from the rank. */
export const sortKeyOf = (metric: Metric): string => SCORE + metric.id;

/** Gives the metric that a sort key names, if it does. */
export function sortedMetric(sort: string, metrics: readonly Metric[]): Metric | undefined {
  return sort.startsWith(SCORE) ? metrics.find((one) => one.id === sort.slice(SCORE.length)) : undefined;
}

/** Gives the direction in which a column is sorted first: the best on top. */
export function firstDirection(sort: string, metrics: readonly Metric[]): SortDirection {
  const metric = sortedMetric(sort, metrics);
  if (metric) return metric.direction === "higher" ? "desc" : "asc";
  return sort === "submissions" || sort === "last" ? "desc" : "asc";
}

/** Reads a view from a query; whatever makes no sense is as if it were not there. */
export function parseView(search: string, metrics: readonly Metric[]): View {
  const query = new URLSearchParams(search);
  const asked = query.get("sort") ?? "rank";
  const known = ["rank", "player", "submissions", "last"].includes(asked) || sortedMetric(asked, metrics);
  const sort = known ? asked : "rank";
  const direction = query.get("dir");
  const kind = query.get("kind");
  const columns = query.getAll("cols").filter((id) => metrics.some((metric) => metric.id === id));
  const picks = (query.get("pick") ?? "").split(",").filter((id) => PLAYER.test(id));
  return {
    sort,
    direction: direction === "asc" || direction === "desc" ? direction : firstDirection(sort, metrics),
    query: (query.get("q") ?? "").slice(0, 100),
    kind: kind === "human" || kind === "model" ? kind : "all",
    page: Math.max(1, Math.min(1e6, Math.trunc(Number(query.get("page"))) || 1)),
    columns: columns.length > 0 ? columns : null,
    picks: [...new Set(picks)].slice(0, MAX_PICKS),
  };
}

/** Writes a view as a query, without what is as it is by default; "" for the plain board. */
export function formatView(view: View, metrics: readonly Metric[]): string {
  const query = new URLSearchParams();
  if (view.sort !== "rank") query.set("sort", view.sort);
  if (view.direction !== firstDirection(view.sort, metrics)) query.set("dir", view.direction);
  if (view.query !== "") query.set("q", view.query);
  if (view.kind !== "all") query.set("kind", view.kind);
  if (view.page > 1) query.set("page", String(view.page));
  for (const id of view.columns ?? []) query.append("cols", id);
  if (view.picks.length > 0) query.set("pick", view.picks.join(","));
  // A comma may stand in a query as it is, and reads better.
  const text = query.toString().replaceAll("%2C", ",");
  return text === "" ? "" : `?${text}`;
}

/** Gives the view after a click on a column's header: another column best first, the same one the other way. */
export function sortBy(view: View, sort: string, metrics: readonly Metric[]): View {
  const turned: SortDirection = view.direction === "asc" ? "desc" : "asc";
  return { ...view, sort, direction: view.sort === sort ? turned : firstDirection(sort, metrics), page: 1 };
}

/** Gives the view with a player picked, or no longer picked; a sixth pick changes nothing. */
export function togglePick(view: View, player: string): View {
  if (view.picks.includes(player)) return { ...view, picks: view.picks.filter((one) => one !== player) };
  return view.picks.length < MAX_PICKS ? { ...view, picks: [...view.picks, player] } : view;
}

/** Gives the view with a metric shown or hidden; at least one stays. */
export function toggleColumn(view: View, id: string, metrics: readonly Metric[]): View {
  const shown = view.columns ?? metrics.map((one) => one.id);
  const wanted = shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id];
  if (wanted.length === 0) return view;
  const ordered = metrics.map((one) => one.id).filter((one) => wanted.includes(one));
  return { ...view, columns: ordered.length === metrics.length ? null : ordered };
}
