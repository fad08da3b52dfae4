/** The present view as CSV: full precision, and no cell that a spreadsheet would run. Source: RFC 4180. */

import type { Metric, Rows } from "../snapshots.ts";
import { rowAt } from "./table.ts";

// What spreadsheets take for the start of a formula, in its wide forms too.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const BYTE_ORDER_MARK = "\ufeff";

/** Gives the CSV of the rows at the indices, with a byte order mark so that spreadsheets read UTF-8. */
export function formatCsv(rows: Rows, indices: readonly number[], metrics: readonly Metric[]): string {
  const header = [
    "rank",
    "tied",
    "player",
    "player_id",
    "kind",
    "verified",
    ...metrics.map((one) => one.label),
    "submissions",
    "last",
    "submission",
  ];
  const lines = indices.map((index) => {
    const row = rowAt(rows, index);
    return [
      row.rank,
      row.tied,
      row.name,
      row.player,
      row.kind,
      row.verified,
      ...metrics.map((one) => row.scores[one.id] ?? ""),
      row.submissions,
      new Date(row.at).toISOString(),
      row.submission,
    ];
  });
  return BYTE_ORDER_MARK + [header, ...lines].map((line) => line.map(formatCell).join(",") + "\r\n").join("");
}

function formatCell(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value.trimStart()) || FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
