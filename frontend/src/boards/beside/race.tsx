/** How the best value of a board rose, with the faces of those who led. */

import type { Head } from "../../api/generated/types.ts";
import { Face } from "../../ui/icons.tsx";
import { rowAt } from "../rows/row.ts";

const MAX_STEPS = 9;
const MAX_FACES = 6;

/** Return the latest steps of a board, with their places in a square of 100. */
function listSteps(head: Head | null) {
  const steps = head?.improvements.steps.slice(-MAX_STEPS) ?? [];
  const [first = 0, last = 0] = [steps[0]?.[1], steps.at(-1)?.[1]];
  return steps.map(([, value, player], index) => ({
    player,
    x: Math.round((100 * index) / steps.length),
    y: Math.round(90 - (first === last ? 0 : (64 * (value - first)) / (last - first))),
  }));
}

/** The best so far as a line, from left to right; nothing of a board with fewer than two. */
export function Curve({ head }: { readonly head: Head | null }) {
  const steps = listSteps(head);
  const line = steps.map(({ x, y }, index) => (index === 0 ? `M0 ${y}` : `H${x}V${y}`)).join("");
  return (
    <svg class="curve" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {steps.length > 1 && (
        <>
          <path class="area" d={`${line}H100V100H0Z`} />
          <path d={`${line}H100`} />
        </>
      )}
    </svg>
  );
}

/** The faces of those who led, each where it took the lead. */
export const Faces = ({ head }: { readonly head: Head }) => (
  <div class="faces" aria-hidden="true">
    {listSteps(head).map(({ player, x, y }, index, steps) => {
      const place = head.rows.player.indexOf(player);
      const isTaken = index > steps.length - MAX_FACES && x > 30 && steps[index - 1]?.player !== player;
      return (
        isTaken &&
        place >= 0 && (
          <span key={index} style={{ left: `${x}%`, top: `${y}%` }}>
            <Face {...rowAt(head.rows, place)} size={place === 0 ? 48 : 28} />
          </span>
        )
      );
    })}
  </div>
);

/** Behind the leader of a board. */
export const Race = ({ head }: { readonly head: Head }) => (
  <div class="race">
    <Curve head={head} />
    <Faces head={head} />
  </div>
);
