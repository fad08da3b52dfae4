/** A benchmark's folder or ZIP as a visitor chooses or drops it, made into the ZIP that is published. */

import { say } from "../../languages/say.ts";
import { describeSize } from "../../ui/lib/checks.ts";
import { packFiles } from "./zip.ts";

const MAX_BYTES = 200_000_000;
const DEFINITION = "benchmark.yaml";

/** A file, and its path in what was chosen or dropped. */
export interface PlacedFile {
  readonly path: string;
  readonly file: File;
}

/** What is published, under the name that it had. */
export interface Bundle {
  /** The name of the folder or ZIP, as far as an id can be read from it. */
  readonly name: string;
  readonly file: File;
}

/** Return the files that a visitor chose. */
export const listChosen = (files: FileList | null): readonly PlacedFile[] =>
  [...(files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** Return the files that were dropped, those of folders too. */
export async function listDropped({ items }: DataTransfer): Promise<readonly PlacedFile[]> {
  // All entries are read before the first wait: afterwards the browser has forgotten them.
  const dropped = [...items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const listed = dropped.map((each) => {
    if (each === null) return [];
    return each instanceof File ? [{ path: each.name, file: each }] : walk(each);
  });
  return (await Promise.all(listed)).flat();
}

/**
 * Return the ZIP of a benchmark's files: the one that was chosen, or one of a folder.
 *
 * Throws an Error with a sentence for the visitor.
 */
export async function makeBundle(files: readonly PlacedFile[]): Promise<Bundle> {
  const [first] = files;
  if (first && files.length === 1 && first.path.toLowerCase().endsWith(".zip")) {
    if (first.file.size > MAX_BYTES) throw new Error(describeSize(first.file, MAX_BYTES));
    return { name: readId(first.file.name), file: first.file };
  }
  const visible = files.filter(({ path }) => path.split("/").every(isVisible));
  const names = visible.map(({ path }) => path.split("/"));
  const definition = names.find((each) => each.at(-1) === DEFINITION && each.length <= 2);
  const folder = definition?.join("/").slice(0, -DEFINITION.length);
  if (folder === undefined) throw new Error(say("Choose a folder with a benchmark.yaml, or a ZIP of one."));
  const inside = visible.filter(({ path }) => path.startsWith(folder));
  const size = inside.reduce((sum, { file }) => sum + file.size, 0);
  if (size > MAX_BYTES) throw new Error(describeSize({ name: folder, size }, MAX_BYTES));
  const packed = await Promise.all(
    inside.map(async ({ path, file }) => ({
      path: path.slice(folder.length),
      content: new Uint8Array(await file.arrayBuffer()),
    })),
  );
  const name = readId(folder);
  return { name, file: new File([packFiles(packed)], `${name}.zip`, { type: "application/zip" }) };
}

/** Return the beginning of a name that can be an id: `my-quiz (1).zip` is `my-quiz`. */
const readId = (name: string): string => /^[a-z0-9-]{0,64}/.exec(name)?.[0] ?? "";

/** Names of what systems leave in folders, as in scoring_core/io/safe_zip.py. */
const HIDDEN_NAMES = new Set(["__macosx", "__pycache__", "desktop.ini", "thumbs.db"]);

/** Return whether a name may be of the benchmark. */
const isVisible = (name: string): boolean => !name.startsWith(".") && !HIDDEN_NAMES.has(name.toLowerCase());

async function walk(entry: FileSystemEntry): Promise<readonly PlacedFile[]> {
  if (!isVisible(entry.name)) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: entry.fullPath.slice(1), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const entries: FileSystemEntry[] = [];
  // A browser lists a folder in pieces, of which the last is empty.
  for (let piece = [entry]; piece.length > 0; entries.push(...piece)) {
    piece = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  }
  return (await Promise.all(entries.map(walk))).flat();
}
