/** A benchmark's folder or ZIP, made into the ZIP that is published. */

import { say } from "../../languages/say.ts";
import { describeSize } from "../../ui/lib/checks.ts";
import { MAX_BYTES, onlyVisible, packFolder, type PlacedFile } from "../../ui/lib/folder.ts";

const DEFINITION = "benchmark.yaml";

/** What is published, under the name that it had. */
export interface Bundle {
  /** The name of the folder or ZIP, as far as an id can be read from it. */
  readonly name: string;
  readonly file: File;
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
  const visible = onlyVisible(files);
  const names = visible.map(({ path }) => path.split("/"));
  const definition = names.find((each) => each.at(-1) === DEFINITION && each.length <= 2);
  const folder = definition?.join("/").slice(0, -DEFINITION.length);
  if (folder === undefined) throw new Error(say("Choose a folder with a benchmark.yaml, or a ZIP of one."));
  const inside = visible.filter(({ path }) => path.startsWith(folder));
  const name = readId(folder);
  const placed = inside.map(({ path, file }) => ({ path: path.slice(folder.length), file }));
  return { name, file: await packFolder(placed, name) };
}

/** Return the beginning of a name that can be an id: `my-quiz (1).zip` is `my-quiz`. */
const readId = (name: string): string => /^[a-z0-9-]{0,64}/.exec(name)?.[0] ?? "";
