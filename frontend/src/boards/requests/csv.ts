/** Downloads a board as CSV: what the view shows, of all rows. */

import type { Head, Metric } from "../../api/generated/types.ts";
import { MAIN, type View } from "../../api/view.ts";
import { saveFile } from "../../ui/lib/download.ts";
import { formatCsv } from "../rows/csv.ts";
import { loadRows, type ShownBoard } from "./boards.ts";
import { allMetrics, baselineIds, DONE, isWhole, partMetrics } from "../rows/row.ts";
import { selectRows } from "../rows/select.ts";

/** Save the rows that a view shows. */
export async function saveCsv(
  { head, rows, complete }: ShownBoard,
  view: View,
  metrics: readonly Metric[],
): Promise<void> {
  const fetched = complete || isWhole(head) ? null : await loadRows(head);
  if (fetched && fetched.kind !== "ok") throw new Error(fetched.kind);
  const all = fetched?.value ?? rows;
  const name = [head.id, ...(head.board === MAIN ? [] : [head.board]), ...(head.final?.is_shown ? ["final"] : [])].join(
    "-",
  );
  // The columns of parts have names of their own.
  const own = metrics.filter(({ id }) => !id.startsWith("#"));
  const text = formatCsv(all, selectRows(all, view, allMetrics(head)), own, csvColumns(head), baselineIds(head));
  saveFile(`${name}.csv`, "text/csv;charset=utf-8", text);
}

/** Return the names of the columns of parts in CSV, and their columns. */
function csvColumns(head: Pick<Head, "metrics" | "parts">): readonly (readonly [name: string, id: string])[] {
  if (head.parts == null) return [];
  return [[`${head.parts.noun}_done`, DONE], ...partMetrics(head).map(({ label, id }) => [label, id] as const)];
}
