/** What is new on a board between two looks. */

import type { Rows } from "../api/generated/snapshots.ts";
import { formatPlural } from "./format.ts";
import { guestMark } from "./players.ts";

/** Gives the players whose result is new or other than before; a rank that moved because of others is no change. */
export function changedPlayers(before: Rows, after: Rows): ReadonlySet<string> {
  const known = new Map(before.player.map((player, index) => [player, index]));
  const changed = new Set<string>();
  after.player.forEach((player, index) => {
    const old = known.get(player);
    const same =
      old !== undefined &&
      before.submissions[old] === after.submissions[index] &&
      Object.entries(after.scores).every(([id, column]) => column[index] === before.scores[id]?.[old]);
    if (!same) changed.add(player);
  });
  return changed;
}

/** Says in one sentence what is new, for those who do not see it; "" where nothing is. */
export function describeChanges(changed: ReadonlySet<string>, after: Rows): string {
  if (changed.size === 0) return "";
  const first = after.player.findIndex((player) => changed.has(player));
  const name = after.name[first] ?? "";
  const best = `${name}${guestMark(name, after.verified[first] ?? false)} is at rank ${after.rank[first]}`;
  return changed.size === 1
    ? `The board changed: ${best}.`
    : `The board changed for ${formatPlural(changed.size, "player")}; ${best}.`;
}
