/** When this browser showed a board, and with which ranks. */

import type { Ranks } from "../rows/row.ts";

/** The ranks of a board at a moment at which this browser showed it. */
export interface Look {
  readonly at: number;
  readonly ranks: Ranks;
}

export const MINUTE = 60_000;
export const EVENT_MINUTES = 10;
const VISIT_MINUTES = 30;

/**
 * Return the looks at a board to keep, oldest first, and the one from which moves are counted; null if there is none.
 *
 * In an event that is the one of ten minutes ago, or the first since; else the last one of the visit before, where a
 * visit ends when nobody has looked for half an hour.
 */
export function addLook(looks: readonly Look[], look: Look, isEvent: boolean): readonly [readonly Look[], Look | null] {
  const ago = ({ at }: Look): number => (look.at - at) / MINUTE;
  const last = looks.at(-1);
  if (isEvent) {
    const old = looks.findLast((each) => ago(each) >= EVENT_MINUTES && ago(each) < 2 * EVENT_MINUTES);
    const kept = looks.filter((each) => each === old || ago(each) < EVENT_MINUTES);
    return [last && ago(last) < 1 ? kept : [...kept, look], kept[0] ?? null];
  }
  const base = (last && ago(last) >= VISIT_MINUTES ? last : looks.length > 1 && looks[0]) || null;
  return [base ? [base, look] : [look], base];
}
