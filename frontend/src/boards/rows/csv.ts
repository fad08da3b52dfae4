/** CSV that spreadsheets read without running any cell. Source: RFC 4180. */

import type { Metric, Rows } from "../../api/generated/types.ts";
import { rowAt } from "./row.ts";

// Spreadsheets take these for the start of a formula, in their full-width forms too.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const BYTE_ORDER_MARK = "\ufeff";

type Cell = string | number | boolean;

/** Return the rows at the indices as CSV, a line for each, with full precision; the columns of parts come last. */
export function formatCsv(
  rows: Rows,
  indices: readonly number[],
  metrics: readonly Metric[],
  parts: readonly (readonly [name: string, id: string])[] = [],
  baselines: ReadonlySet<string> = new Set(),
): string {
  const labels = metrics.map((metric) => metric.label);
  const hasLabels = rows.label?.length > 0;
  const flag = baselines.size > 0 ? ["baseline"] : [];
  const named = ["rank", "tied", "player", "player_id", "kind", "verified", ...(hasLabels ? ["label"] : [])];
  const header = [...named, ...flag, ...labels, "submissions", "last", "submission", ...parts.map(([name]) => name)];
  const lines = indices.map((index) => {
    const row = rowAt(rows, index);
    const label = [...(hasLabels ? [row.label ?? ""] : []), ...flag.map(() => baselines.has(row.id))];
    const values = metrics.map((metric) => row.scores[metric.id] ?? "");
    const last = [row.submissions, new Date(row.at).toISOString(), row.submission];
    const ofParts = parts.map(([, id]) => row.scores[id] ?? "");
    return [row.rank, row.tied, row.name, row.player, row.kind, row.verified, ...label, ...values, ...last, ...ofParts];
  });
  return writeCsv([header, ...lines]);
}

/** Return lines of cells as CSV. */
export const writeCsv = (lines: readonly (readonly Cell[])[]): string =>
  BYTE_ORDER_MARK + lines.map((line) => line.map(formatCell).join(",") + "\r\n").join("");

function formatCell(value: Cell): string {
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value.trimStart()) || FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
