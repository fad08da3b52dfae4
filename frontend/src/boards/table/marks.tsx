/** What faces and marks of players stand for, in words. */

import type { Head, PlayerKind, Rows } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";

const DASHES = "– –";

interface Props {
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly isBaseline?: boolean;
}

export const PlayerMarks = ({ kind, verified, isBaseline }: Props) => (
  <>
    {isBaseline && (
      <abbr class="player-mark" title={say("baseline")} aria-hidden="true">
        {DASHES}
      </abbr>
    )}
    <span class="unseen">
      {kind === "model" && ` ${say("model")}`}
      {!verified && ` ${say("guest")}`}
      {isBaseline && ` ${say("baseline")}`}
    </span>
  </>
);

/** What the faces and marks of rows stand for; nothing if all are verified humans. */
export function MarkLegend({ head, rows }: { readonly head: Head; readonly rows: Rows }) {
  const marks = [
    rows.kind.includes("model") && `■ ${say("a model")}`,
    rows.verified.includes(false) && `○ ${say("a guest, whose name is not verified")}`,
    head.baselines && `${DASHES} ${say("baseline")}`,
  ].filter(Boolean);
  return marks.length === 0 ? null : (
    <p class="fine legend" aria-hidden="true">
      {marks.map((mark) => (
        <span>{mark}</span>
      ))}
    </p>
  );
}
