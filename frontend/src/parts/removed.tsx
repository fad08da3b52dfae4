/** Who was taken off the board, and why: a board says what it no longer shows. */

import type { Head } from "../snapshots.ts";
import { Moment } from "./moment.tsx";

export function Removed({ head }: { readonly head: Head }) {
  if (head.removed.length === 0) return null;
  return (
    <section aria-labelledby="removed-title">
      <h2 id="removed-title">Removed</h2>
      <ul class="removed">
        {head.removed.map((one, index) => (
          <li key={index}>
            <bdi class="clip">{one.player}</bdi>
            {one.at && (
              <span class="fine">
                <Moment at={one.at} />
              </span>
            )}
            <span>{one.reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
