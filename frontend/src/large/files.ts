/** The CSV of a large board, which a schedule writes. */

import { fetchSnapshot, folderOf } from "../api/client.ts";
import type { Head } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { formatBytes } from "../lib/checks.ts";
import { formatTime } from "../lib/format.ts";

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

/** Return the files of a board, and since when they are. */
export async function findFiles(head: Head): Promise<CsvFiles> {
  const folder = folderOf(head.id, head.board, head.version);
  const fetched = await fetchSnapshot<Edition>(`${folder}edition.json`, new AbortController().signal);
  if (fetched.kind !== "ok")
    return { text: say("The CSV of a board of this size is made every hour. Try again later."), links: [] };
  const { csv, generated_at } = fetched.value;
  const links = csv.map(({ name, size_bytes }, index) => ({
    url: folder + name,
    text: say("Part {number} of {total} ({size})", {
      number: index + 1,
      total: csv.length,
      size: formatBytes(size_bytes),
    }),
  }));
  const time = formatTime(Date.parse(generated_at));
  const text =
    csv.length > 1
      ? say("CSV as of {time}; the parts, one after the other, are one gzipped file:", { time })
      : say("CSV as of {time}:", { time });
  return { text, links };
}
