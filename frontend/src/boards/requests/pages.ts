/** Loads all rows of a board. Its files never change, so each is requested once, and the next publish needs few. */

import { fetchSnapshot, folderOf, type Fetched } from "../../api/client.ts";
import type { Head, HeadPages, Rows } from "../../api/generated/types.ts";
import { mergePages, type Changes, type Page } from "../rows/pages.ts";

interface File {
  readonly schema: number;
}
interface Directory extends File {
  readonly pages: readonly (readonly [name: string, ...unknown[]])[];
}
interface Recent extends File {
  readonly changes: Changes;
}
interface PageFile extends File {
  readonly rows: Page;
}

const NAME = /^[0-9a-z.-]+$/;

/** The files of the board that was loaded last. */
let files = new Map<string, Promise<File>>();

/** Return all rows of a board; null if a file is missing, for then the head is an old one. */
export async function loadRows(head: Head): Promise<Fetched<Rows>> {
  const used = new Map<string, Promise<File>>();
  const folder = folderOf(head.id, head.board, head.version);
  const read = async <Content extends File>(name: string): Promise<Content> => {
    const url = folder + name;
    if (!NAME.test(name)) throw new Error(name);
    const file = files.get(url) ?? used.get(url) ?? fetchContent(url);
    used.set(url, file);
    return (await file) as Content;
  };
  const merge = async ({ directory, recent, buffer }: HeadPages): Promise<Rows> => {
    const [lines, late] = await Promise.all([
      read<Directory>(directory).then(({ pages }) => pages),
      recent === null ? {} : read<Recent>(recent).then(({ changes }) => changes),
    ]);
    const pages = await Promise.all(lines.map(([name]) => read<PageFile>(name)));
    const ids = Object.keys(head.rows.scores);
    return mergePages(
      pages.map((page) => page.rows),
      { ...late, ...buffer },
      head.ranking.order,
      ids,
    );
  };
  try {
    return { kind: "ok", value: head.pages === null ? head.rows : await merge(head.pages) };
  } catch {
    return { kind: "failed" };
  } finally {
    files = used;
  }
}

async function fetchContent(url: string): Promise<File> {
  const fetched = await fetchSnapshot<File>(url, new AbortController().signal, "default");
  if (fetched.kind === "ok") return fetched.value;
  files.delete(url);
  throw new Error(url);
}
