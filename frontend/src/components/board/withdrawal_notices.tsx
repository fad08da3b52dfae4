/** What was withdrawn, and why: a board says what it no longer shows. */

import { isGuest } from "../../lib/players.ts";
import { submissionPath } from "../../lib/route.ts";
import type { Head } from "../../api/generated/snapshots.ts";
import { Moment } from "../relative_time.tsx";
import { ShortName } from "../player_name.tsx";

export function Removed({ head }: { readonly head: Head }) {
  if (head.removed.length === 0) return null;
  return (
    <section aria-labelledby="removed-title">
      <h2 id="removed-title">Withdrawn</h2>
      <div class="prose">
        <ul>
          {head.removed.map((one) => (
            <li key={one.submission}>
              <a href={submissionPath(head.id, one.submission)}>
                <ShortName name={one.name} verified={!isGuest(one.player)} />
              </a>{" "}
              <span class="fine">
                <Moment at={one.at} />
              </span>{" "}
              {one.reason}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
