/** The present view as CSV, with full precision. */

import type { Metric, Rows } from "../api/generated/snapshots.ts";
import { writeCsv } from "./cells.ts";
import { rowAt } from "./table.ts";

/** Gives the CSV of the rows at the indices, a line for each. */
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
  return writeCsv([header, ...lines]);
}
