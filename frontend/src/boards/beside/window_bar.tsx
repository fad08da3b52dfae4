/** Above the table of a window: the instance, its clock, and those before and after. */

import type { Head, HeadWindow } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { useMoments, useNow } from "../../ui/hooks/browser.ts";
import { boardPath } from "../../ui/lib/route.ts";
import { stayOnPage } from "./board_tabs.tsx";
import { describeInstance, formatLeft, nextInstance } from "../rows/instances.ts";
import { isOutdated } from "../requests/other_boards.ts";

export function WindowBar({ head, window }: { readonly head: Head; readonly window: HeadWindow }) {
  const tick = useNow();
  const now = Math.max(tick, useMoments(window.to));
  const isOver = Date.parse(window.to) <= now;
  const after = isOver ? nextInstance(head.board) : null;
  return (
    <div class="window-bar">
      <div class="labels">
        {window.before !== null && <Step benchmark={head.id} board={window.before} sign="‹" />}
        <strong>{describeInstance(head.board) ?? head.board_title}</strong>
        {after !== null && <Step benchmark={head.id} board={after} sign="›" />}
        <span class="fine" aria-live="off">
          {isOver ? say("ended") : say("ends in {time}", { time: formatLeft(window.to, now) })} · {window.time_zone}
        </span>
        {isOutdated(head) && <span class="pill">{say("is being scored again")}</span>}
      </div>
    </div>
  );
}

interface StepProps {
  readonly benchmark: string;
  readonly board: string;
  readonly sign: string;
}

/** A link to another instance. */
function Step({ benchmark, board, sign }: StepProps) {
  const name = describeInstance(board) ?? board;
  return (
    <a class="button small" href={boardPath(benchmark, board)} title={name} aria-label={name} onClick={stayOnPage}>
      {sign}
    </a>
  );
}
