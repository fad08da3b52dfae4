/** What an owner drops becomes the ZIP of a benchmark's files, and nothing else. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { makeBundle } from "../src/benchmarks/owners/folder.ts";
import { onlyVisible } from "../src/ui/lib/folder.ts";

const place = (...paths: string[]) => paths.map((path) => ({ path, file: new File(["x"], path) }));
const read = async (file: File): Promise<string> => new TextDecoder("latin1").decode(await file.arrayBuffer());

test("a folder is packed without its own name and without what is hidden", async () => {
  const files = place("quiz/benchmark.yaml", "quiz/examples/a.json", "quiz/.git/config", "quiz/__pycache__/a.pyc");

  const { name, file } = await makeBundle(files);

  const content = await read(file);
  assert.deepEqual([name, file.name], ["quiz", "quiz.zip"]);
  assert.deepEqual(content.match(/(benchmark\.yaml|examples\/a\.json|\.git|pyc)/g)?.slice(0, 2), [
    "benchmark.yaml",
    "examples/a.json",
  ]);
  assert.ok(!/quiz\/|\.git|pyc/.test(content));
});

test("the files of a folder may be chosen one by one, and a ZIP is taken as it is", async () => {
  assert.equal((await makeBundle(place("benchmark.yaml", "truth.json"))).name, "");
  const [zip] = place("my-quiz (1).zip");
  const bundle = await makeBundle(zip ? [zip] : []);
  assert.deepEqual([bundle.name, bundle.file], ["my-quiz", zip?.file]);
});

test("what is no benchmark, or too large, is refused with a sentence", async () => {
  for (const files of [[], place("notes.txt"), place("a/b/benchmark.yaml")])
    await assert.rejects(makeBundle(files), /Choose a folder with a benchmark\.yaml/);
  const large = new File([""], "large.zip");
  Object.defineProperty(large, "size", { value: 200_000_001 });
  await assert.rejects(makeBundle([{ path: "large.zip", file: large }]), /large\.zip has .* the limit is/);
});

test("what a Mac or Windows leaves in a chosen folder is no result", () => {
  const files = place("runs/a.json", "runs/.DS_Store", "runs/__MACOSX/._a.json", "runs/Thumbs.db", "runs/desktop.ini");
  assert.deepEqual(
    onlyVisible(files).map(({ path }) => path),
    ["runs/a.json"],
  );
});
