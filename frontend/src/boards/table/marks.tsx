/** Ranks, and what faces and marks of players stand for, in words. */

import type { Head, PlayerKind, Rows } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { Medal } from "../../ui/icons.tsx";
import { formatRank } from "../../ui/lib/format.ts";

const DASHES = "– –";
const EARLIER = "«";

/** Return whether a submission is a row of an earlier board: its id is a UUID of version 8. */
export const isTakenOver = (submission: string): boolean => submission[14] === "8";

interface Props {
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly submission: string;
  readonly isBaseline?: boolean;
}

export const PlayerMarks = ({ kind, verified, submission, isBaseline }: Props) => (
  <>
    {isTakenOver(submission) && (
      <abbr class="player-mark" title={say("taken over from an earlier board")} aria-hidden="true">
        {EARLIER}
      </abbr>
    )}
    {isBaseline && (
      <abbr class="player-mark" title={say("baseline")} aria-hidden="true">
        {DASHES}
      </abbr>
    )}
    <span class="unseen">
      {kind === "model" && ` ${say("model")}`}
      {!verified && ` ${say("guest")}`}
      {isBaseline && ` ${say("baseline")}`}
      {isTakenOver(submission) && ` ${say("taken over from an earlier board")}`}
    </span>
  </>
);

/** What the faces and marks of rows stand for; nothing if all are verified humans. */
export function MarkLegend({ head, rows }: { readonly head: Head; readonly rows: Rows }) {
  const marks = [
    rows.kind.includes("model") && `■ ${say("a model")}`,
    rows.verified.includes(false) && `○ ${say("a guest, whose name is not verified")}`,
    rows.submission.some(isTakenOver) && `${EARLIER} ${say("taken over from an earlier board")}`,
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

interface RankProps {
  readonly rank: number;
  readonly tied: boolean;
  readonly hasMedal: boolean;
}

/** A rank, or its medal. Fewer nodes make sorting faster: each click on a header renders all of a page's. */
export const RankMark = ({ rank, tied, hasMedal }: RankProps) => (
  <>
    {tied && <span class="unseen">{say("shared")} </span>}
    {hasMedal && <Medal rank={rank} tied={tied} />}
    {hasMedal ? <span class="unseen">{rank}</span> : formatRank(rank, tied)}
  </>
);
