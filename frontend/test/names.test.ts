/** Guests are marked wherever they are named, by a mark behind the name or by tags beside it. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

import type { Head } from "../src/api/generated/types.ts";
import { guestMark, isGuest } from "../src/ui/lib/guests.ts";
import { describeRanking, explainRank, namePlayer } from "../src/boards/rows/ranks.ts";
import { rowAt } from "../src/boards/rows/row.ts";
import { makeHead, makeRows, METRICS } from "./rows.ts";

const SHOWS: Readonly<Record<string, string>> = {
  "src/ui/player_name.tsx": "both ways: with tags, and with a mark",
  "src/boards/table/table.tsx": "the row has marks behind the name",
  "src/players/links.tsx": "an owner’s note on a link, which is no name",
  "src/benchmarks/live.tsx": "a guest’s face is hollow, beside the name",
  "src/benchmarks/own.tsx": "who passed, in a sentence",
  "src/benchmarks/owners/own_benchmark.tsx": "the title of a benchmark",
  "src/benchmarks/owners/own_list.tsx": "titles of benchmarks",
  "src/benchmarks/owners/runners.tsx": "names of machines",
  "src/boards/table/comparison_bar.tsx": "a button beside the name with its mark",
  "src/boards/beside/after.tsx": "a banned name, of any guest",
  "src/benchmarks/owners/bans.tsx": "a banned player, whose id is in the address",
  "src/boards/chosen_page.tsx": "the row has tags behind the name",
  "src/boards/ladder.tsx": "the row has a face and marks behind the name",
  "src/submissions/moment.tsx": "the rows below have faces and marks",
  "src/submissions/submission_page.tsx": "a label beside the name with its tags",
  "src/submissions/submit/taking.tsx": "the reason for more time, in a sentence",
  "src/players/join_page.tsx": "the name of a token, which is a verified player’s",
  "src/players/tokens_page.tsx": "the name of a token, which is a verified player’s",
  "src/boards/wall/page.tsx": "the face beside the name says it",
  "src/boards/wall/side.tsx": "the face beside the name says it",
  "src/submissions/table.tsx": "labels and names of files; players’ names are marked",
  "src/players/portrait.tsx": "tags below the heading",
  "src/boards/banners.tsx": "the reason of an owner, which is no name",
  "src/boards/beside/corrections.tsx": "the reason of an owner, which is no name",
  "src/boards/beside/ranks_over_time.tsx": "the face beside the name says it",
  "src/charts/frame.tsx": "cells of any kind; names are formatted with their mark",
};

test("a guest is marked, except the guest named guest", () => {
  assert.equal(guestMark("Heron", false), " (guest)");
  assert.equal(guestMark("Heron", true), "");
  assert.equal(guestMark("guest", false), "");
  for (const player of ["guest", "guest-ada-1", "guest-model"]) assert.ok(isGuest(player));
  for (const player of ["guestly", "heron"]) assert.ok(!isGuest(player));
});

test("a guest who has joined is named as the row says", () => {
  const rows = { ...makeRows([["Ada", 1, 0]]), player: ["guest--0123"], verified: [true] };
  assert.deepEqual(namePlayer(rows, "guest--0123"), { name: "Ada", kind: "human", verified: true });
  assert.deepEqual(namePlayer(rows, "guest--4567"), { name: "guest--4567", kind: "human", verified: false });
});

test("only the listed files isolate names themselves", () => {
  const root = `${import.meta.dirname}/..`;
  const files = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) =>
    /<bdi|\\u2068/.test(readFileSync(`${root}/${file}`, "utf8")),
  );
  assert.deepEqual(files.sort(), Object.keys(SHOWS).sort());
});

test("how a board is scored is said as the head says it", () => {
  const metrics = METRICS.map((metric) => ({ ...metric, label: `the ${metric.label}` }));
  const order = [
    ["Score", "higher"],
    ["Time", "lower"],
  ];
  const head = { metrics, ranking: { order, keep: "mean" }, parts: null };
  const describe = (changes: object) => describeRanking({ ...head, ...changes } as unknown as Head);
  const ranked = "ranked by the Score (higher is better), then the Time (lower is better). Equal values share a rank.";

  assert.equal(describe({}), `Of each player the mean of all submissions counts; ${ranked}`);
  assert.equal(
    describe({
      parts: { total: 3, noun: "levels", combine: "mean" },
      ranking: { keep: "mean", order: [["#done", "higher"], ...order] },
    }),
    `Of each player the mean of all submissions for each of 3 levels, averaged, counts; ${ranked} ` +
      "Who has done more of the levels stands above who has done fewer.",
  );
});

test("rows of one value say what ranks them, unless they share the rank", () => {
  const rows = makeRows([
    ["Ada", 1, 12],
    ["Bo", 2, 15],
    ["Cy", 3, 15],
    ["Di", 3, 15],
  ]);
  const head = {
    ...makeHead({ ...rows, scores: { ...rows.scores, Score: [9, 9, 7, 7] } }, 4),
    ranking: {
      order: [
        ["Score", "higher"],
        ["Time", "lower"],
      ],
    },
  } as unknown as Head;
  const all = rows.player.map((_, index) => rowAt(head.rows, index));

  assert.deepEqual(
    all.map((row) => explainRank(head, all, row)),
    ["12\u202fs", "15\u202fs", "", ""],
  );
  assert.equal(
    explainRank({ ...head, ranking: { ...head.ranking, order: head.ranking.order.slice(0, 1) } }, all, all[0]!),
    "",
  );
});
