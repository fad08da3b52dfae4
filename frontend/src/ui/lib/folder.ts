/** A folder as a visitor chooses or drops it, and the ZIP of its files. */

import { describeSize } from "./checks.ts";
import { packFiles } from "./zip.ts";

export const MAX_BYTES = 200_000_000;

/** A file, and its path in what was chosen or dropped. */
export interface PlacedFile {
  readonly path: string;
  readonly file: File;
}

/** Return the files that a visitor chose or dropped, those of folders too. */
export async function listFiles(from: FileList | DataTransfer): Promise<readonly PlacedFile[]> {
  if (from instanceof FileList) return [...from].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  // All entries are read before the first wait: afterwards the browser has forgotten them.
  const dropped = [...from.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const listed = dropped.map((each) => {
    if (each === null) return [];
    return each instanceof File ? [{ path: each.name, file: each }] : walk(each);
  });
  return (await Promise.all(listed)).flat();
}

/** Return a ZIP of files, under a name. Throws an Error with a sentence for the visitor if they are too large. */
export async function packFolder(files: readonly PlacedFile[], name: string): Promise<File> {
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  if (size > MAX_BYTES) throw new Error(describeSize({ name, size }, MAX_BYTES));
  const packed = await Promise.all(
    files.map(async ({ path, file }) => ({ path, content: new Uint8Array(await file.arrayBuffer()) })),
  );
  return new File([packFiles(packed)], `${name}.zip`, { type: "application/zip" });
}

/** Names of what systems leave in folders, as in scoring_core/io/safe_zip.py. */
const HIDDEN_NAMES = new Set(["__macosx", "__pycache__", "desktop.ini", "thumbs.db"]);

/** Return the files that a visitor put into folders. */
export const onlyVisible = (files: readonly PlacedFile[]): readonly PlacedFile[] =>
  files.filter(({ path }) => path.split("/").every(isVisible));

/** Return whether a name is of what a visitor put into a folder. */
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
