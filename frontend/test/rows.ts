/** Small boards for tests. */

import type { Head, Metric, Rows } from "../src/api/generated/types.ts";

export const METRICS: readonly Metric[] = [
  { id: "Score", label: "Score", unit: null, direction: "higher", decimals: 2, help: null, primary: true },
  { id: "Time", label: "Time", unit: "s", direction: "lower", decimals: null, help: null, primary: false },
];

/** Return rows in rank order from names, ranks and times; every second player is a model. */
export function makeRows(players: readonly (readonly [name: string, rank: number, time: number | null])[]): Rows {
  const ranks = players.map(([, rank]) => rank);
  return {
    player: players.map((_, index) => `p${index + 1}`),
    name: players.map(([name]) => name),
    kind: players.map((_, index) => (index % 2 === 0 ? "human" : "model")),
    verified: players.map(() => false),
    rank: ranks,
    tied: ranks.map((rank) => ranks.filter((other) => other === rank).length > 1),
    label: [],
    scores: { Score: ranks.map((rank) => 100 - rank), Time: players.map(([, , time]) => time) },
    submissions: players.map((_, index) => players.length - index),
    at: players.map((_, index) => 1_000 * index),
    submission: players.map((_, index) => `s${index + 1}`),
  };
}

/** Return a head that has only the first rows. */
export const makeHead = (rows: Rows, total: number): Head =>
  ({ schema: 1, id: "b", board: "main", metrics: METRICS, rows, total }) as unknown as Head;
