/** Ranks, names and spans in sentences, and the latest rows. A board does without them at first. */

import type { Head, HeadFrozen, Rows, SubmissionView } from "../../api/generated/types.ts";
import { locale, say } from "../../languages/say.ts";
import { formatTime, formatWithUnit, sayBetter } from "../../ui/lib/format.ts";
import { isGuest, NAMELESS } from "../../ui/lib/guests.ts";
import { findRow, rowAt, type Row } from "./row.ts";

export { spellRank } from "../../ui/lib/ordinal.ts";

/** Return since when what comes waits, and how many results came since. */
export const sayFrozen = ({ since, count }: HeadFrozen, format = formatTime): string =>
  say("Frozen since {time} · {count} result came since|Frozen since {time} · {count} results came since", {
    time: format(Date.parse(since)),
    count,
  });

/** Which of a player’s submissions counts. */
export const KEPT: Readonly<Record<Head["ranking"]["keep"], string>> = {
  best: say("the best submission"),
  best_public: say("the submission with the best public scores"),
  latest: say("the latest submission"),
  mean: say("the mean of all submissions"),
  sum: say("the sum of all submissions"),
};

/** Return some sentences that say who leads a board: in English those of the head. */
export function describeRanking(head: Head): string {
  const rule = describeOrder(head);
  if (!head.final) return rule;
  if (head.final.is_shown) return `${rule} ${say("This is the final: it ranks by rows that were hidden until then.")}`;
  const kept = KEPT[head.final.keep];
  return `${rule} ${say("It ranks by public rows. The final ranks by hidden ones, which until then only the owner and the administrator of the site can read, and of each player {kept} counts.", { kept })}`;
}

function describeOrder({ ranking: { keep, order }, metrics, parts }: Head): string {
  const over = parts && { kept: KEPT[keep], count: parts.total, noun: parts.noun };
  const kept = !over
    ? KEPT[keep]
    : parts?.combine === "mean"
      ? say("{kept} for each of {count} {noun}, averaged,", over)
      : say("{kept} for each of {count} {noun}, added up,", over);
  const ranked = listRanking(order, metrics).map((metric) => `${metric.label} (${sayBetter(metric)})`);
  const rule = say("Of each player {kept} counts; ranked by {metrics}. Equal values share a rank.", {
    kept,
    metrics: ranked.join(say(", then ")),
  });
  // What is no metric is how many parts are done, which then comes first.
  return parts && ranked.length < order.length
    ? `${rule} ${say("Who has done more of the {noun} stands above who has done fewer.", { noun: parts.noun })}`
    : rule;
}

/** Return the metrics that decide ranks, the first of them first. */
const listRanking = (order: Head["ranking"]["order"], metrics: Head["metrics"]) =>
  order.flatMap(([id]) => metrics.find((metric) => metric.id === id) ?? []);

/** Return what ranks a row before or after another of these rows with the same first value: `15.87 s`; else "". */
export function explainRank(head: Head, rows: readonly Row[], row: Row): string {
  const [first, next] = listRanking(head.ranking.order, head.metrics);
  return first &&
    next &&
    rows.some((other) => other.rank !== row.rank && other.scores[first.id] === row.scores[first.id])
    ? formatWithUnit(row.scores[next.id], next)
    : "";
}

/** A submission of this age that still has no rank will get none soon. */
const RECENT_MILLISECONDS = 60 * 60_000;

/** Return whether the board is expected to show a scored submission soon: it does so a moment after the scores. */
export const isRankDue = (view: SubmissionView, now: number): boolean =>
  view.outcome === "scored" &&
  view.player !== NAMELESS &&
  view.rank == null &&
  !view.in_review &&
  !view.withdrawn &&
  now - Date.parse(view.submitted_at) < RECENT_MILLISECONDS;

/** Return seconds as a span in the largest unit that fits: `3 seconds`, `90 seconds`, `2 hours`. */
export function formatSpan(seconds: number): string {
  const units = [
    [86_400, "day"],
    [3_600, "hour"],
    [60, "minute"],
  ] as const;
  const [length, unit] = units.find(([size]) => seconds > 0 && seconds % size === 0) ?? [1, "second"];
  return formatUnit(seconds / length, unit, "long");
}

/** Return a number with a unit of time. */
export const formatUnit = (value: number, unit: string, unitDisplay: "long" | "short"): string =>
  new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay }).format(value);

/** Return how a player of improvements is named, whose row may not be among these: then by the id. */
export function namePlayer(rows: Rows, player: string) {
  const row = findRow(rows, player);
  return { name: row?.name ?? player, kind: row?.kind ?? "human", verified: row?.verified ?? !isGuest(player) };
}

/** Return the rows whose results came last, the latest first. */
export const latestRows = (rows: Rows, count: number): readonly Row[] =>
  rows.at
    .map((at, index) => [at, index] as const)
    .sort(([a], [b]) => b - a)
    .slice(0, count)
    .map(([, index]) => rowAt(rows, index));
