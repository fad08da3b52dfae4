/** Players are named in one way: every element that shows a name marks guests, or stands beside tags that do. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { guestMark, isGuest, writePlayer } from "../src/lib/players.ts";

const SHOWS: Readonly<Record<string, string>> = {
  "src/components/player_name.tsx": "the two ways: with tags, and with a mark",
  "src/components/board/table.tsx": "the row has tags below the name",
  "src/components/board/comparison_bar.tsx": "a button of the entry whose name has a mark",
  "src/components/batch/entry_table.tsx": "names of files, not of players",
  "src/pages/player.tsx": "tags below the heading",
  "src/charts/frame.tsx": "cells of any kind; names come written with their mark",
};

test("a guest is marked, whatever the name", () => {
  assert.equal(guestMark("Heron", false), " (guest)");
  assert.equal(guestMark("Heron", true), "");
  assert.equal(guestMark("guest", false), "");
  assert.equal(writePlayer("Heron", false), "\u2068Heron\u2069 (guest)");
  assert.deepEqual(["guest", "guest-ada-1", "guest-model", "guestly", "heron"].map(isGuest), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("only these files show a name by themselves", () => {
  const home = `${import.meta.dirname}/..`;
  const found = globSync("src/**/*.{ts,tsx}", { cwd: home }).filter((file) =>
    /<bdi|\\u2068/.test(readFileSync(`${home}/${file}`, "utf8")),
  );
  assert.deepEqual(found.sort(), [...Object.keys(SHOWS), "src/lib/players.ts"].sort());
});
