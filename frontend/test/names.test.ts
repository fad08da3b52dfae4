/** Guests are marked wherever they are named, by a mark behind the name or by tags beside it. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { guestMark, isGuest } from "../src/lib/format.ts";
import { formatPlayer } from "../src/lib/ranks.ts";

const SHOWS: Readonly<Record<string, string>> = {
  "src/components/player_name.tsx": "both ways: with tags, and with a mark",
  "src/components/board/table.tsx": "the row has marks behind the name",
  "src/components/joining/links.tsx": "an owner’s note on a link, which is no name",
  "src/components/owners/own_benchmark.tsx": "the title of a benchmark",
  "src/components/owners/own_list.tsx": "titles of benchmarks",
  "src/components/board/comparison_bar.tsx": "a button beside the name with its mark",
  "src/components/board/about.tsx": "a banned name, of any guest",
  "src/components/batch/entry_table.tsx": "names of files, not of players",
  "src/pages/submission.tsx": "a label beside the name with its tags",
  "src/pages/group.tsx": "the name of a group, which is no player's",
  "src/pages/join.tsx": "the name of a token, which is a verified player’s",
  "src/pages/tokens.tsx": "the name of a token, which is a verified player’s",
  "src/pages/wall.tsx": "the row has marks behind the name",
  "src/components/player/places.tsx": "the row has marks behind the name",
  "src/components/player/history.tsx": "labels and names of files, not of players",
  "src/pages/player_boards.tsx": "tags below the heading",
  "src/pages/player.tsx": "tags below the heading",
  "src/components/board/banners.tsx": "the reason of an owner, which is no name",
  "src/components/board/corrections.tsx": "the reason of an owner, which is no name",
  "src/charts/frame.tsx": "cells of any kind; names are formatted with their mark",
};

test("a guest is marked, except the guest named guest", () => {
  assert.equal(guestMark("Heron", false), " (guest)");
  assert.equal(guestMark("Heron", true), "");
  assert.equal(guestMark("guest", false), "");
  assert.equal(formatPlayer("Heron", false), "\u2068Heron\u2069 (guest)");
  for (const player of ["guest", "guest-ada-1", "guest-model"]) assert.ok(isGuest(player));
  for (const player of ["guestly", "heron"]) assert.ok(!isGuest(player));
});

test("only the listed files isolate names themselves", () => {
  const root = `${import.meta.dirname}/..`;
  const files = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) =>
    /<bdi|\\u2068/.test(readFileSync(`${root}/${file}`, "utf8")),
  );
  assert.deepEqual(files.sort(), [...Object.keys(SHOWS), "src/lib/ranks.ts"].sort());
});
