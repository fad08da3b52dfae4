/** Downloads a board as CSV: what the view shows, of all rows. */

import type { Metric } from "../api/generated/types.ts";
import { loadRows, type ShownBoard } from "../hooks/board.ts";
import { saveFile } from "../lib/download.ts";
import { formatBytes } from "../lib/checks.ts";
import { formatCsv } from "../lib/board/csv.ts";
import { formatTime } from "../lib/format.ts";
import { selectRows } from "../lib/board/select.ts";
import { allMetrics, DONE, isLarge, isWhole, partMetrics } from "../lib/board/table.ts";
import { MAIN, type View } from "../lib/board/view.ts";
import { fetchSnapshot, folderOf } from "./client.ts";
import type { Head } from "./generated/types.ts";

/** The files of a large board's CSV. */
export interface CsvFiles {
  readonly text: string;
  readonly links: readonly { readonly url: string; readonly text: string }[];
}

/** `edition.json`: what is written of a large board every hour. */
interface Edition {
  readonly schema: number;
  readonly generated_at: string;
  readonly csv: readonly { readonly name: string; readonly size_bytes: number }[];
}

const SAVED: CsvFiles = { text: "", links: [] };

/** Save the rows that a view shows; return the files of a board that is too large for it. */
export async function saveCsv({ head, rows, complete }: ShownBoard, view: View, metrics: readonly Metric[]) {
  if (isLarge(head) && !complete) return findFiles(head);
  const fetched = complete || isWhole(head) ? null : await loadRows(head);
  const all = fetched?.kind === "ok" ? fetched.value : rows;
  const name = head.board === MAIN ? head.id : `${head.id}-${head.board}`;
  const text = formatCsv(all, selectRows(all, view, allMetrics(head)), metrics, csvColumns(head));
  saveFile(`${name}.csv`, "text/csv;charset=utf-8", text);
  return SAVED;
}

async function findFiles(head: Head): Promise<CsvFiles> {
  const folder = folderOf(head.id, head.board, head.version);
  const fetched = await fetchSnapshot<Edition>(`${folder}edition.json`, new AbortController().signal);
  if (fetched.kind !== "ok")
    return { text: "The CSV of a board of this size is made every hour. Try again later.", links: [] };
  const { csv, generated_at } = fetched.value;
  const links = csv.map(({ name, size_bytes }, index) => ({
    url: folder + name,
    text: `Part ${index + 1} of ${csv.length} (${formatBytes(size_bytes)})`,
  }));
  const note = csv.length > 1 ? "; the parts, one after the other, are one gzipped file" : "";
  return { text: `CSV as of ${formatTime(Date.parse(generated_at))}${note}:`, links };
}

/** Return the names of the columns of parts in CSV, and their columns. */
function csvColumns(head: Pick<Head, "metrics" | "parts">): readonly (readonly [name: string, id: string])[] {
  if (head.parts == null) return [];
  return [[`${head.parts.noun}_done`, DONE], ...partMetrics(head).map(({ label, id }) => [label, id] as const)];
}
