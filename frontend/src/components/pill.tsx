/** Short states in a coloured shape. */

import { formatMoment } from "../lib/format.ts";
import type { State } from "../api/generated/snapshots.ts";

interface Props {
  readonly opens: string | null;
  readonly closes: string | null;
  /** What the server said; without it the times decide. */
  readonly state?: State;
}

/** Whether results are taken, and until or from when. */
export function StatePill({ opens, closes, state = stateAt(opens, closes, Date.now()) }: Props) {
  if (state === "not_open_yet")
    return <span class="pill">Opens {opens ? formatMoment(Date.parse(opens)) : "later"}</span>;
  if (state === "closed") return <span class="pill">Closed{closes ? ` ${formatMoment(Date.parse(closes))}` : ""}</span>;
  return <span class="pill good">Open{closes ? ` until ${formatMoment(Date.parse(closes))}` : ""}</span>;
}

function stateAt(opens: string | null, closes: string | null, now: number): State {
  if (opens !== null && now < Date.parse(opens)) return "not_open_yet";
  return closes !== null && now >= Date.parse(closes) ? "closed" : "open";
}
