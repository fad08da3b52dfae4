/** Above the table of a window: the instance, its clock, those before and after, and all that were played. */

import { useState } from "preact/hooks";

import type { Head, HeadWindow, PlayedWindows } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { useMoments, useNow } from "../../ui/hooks/browser.ts";
import { Button } from "../../ui/controls.tsx";
import { usePolled } from "../../ui/hooks/polling.ts";
import { boardPath } from "../../ui/lib/route.ts";
import { stayOnPage } from "./board_tabs.tsx";
import { describeInstance, formatLeft, nextInstance } from "../rows/instances.ts";
import { fetchPlayed, isOutdated } from "../requests/other_boards.ts";

export function WindowBar({ head, window }: { readonly head: Head; readonly window: HeadWindow }) {
  const tick = useNow();
  const now = Math.max(tick, useMoments(window.to));
  const isOver = Date.parse(window.to) <= now;
  const played = usePolled(`${head.id} ${head.board}`, (signal) =>
    fetchPlayed(head.id, window.window, window.before && head.board, signal),
  );
  const list = played.value?.played ?? null;
  const after = isOver ? nextInstance(head.board) : null;
  // Before the first result there is no instance.
  const before = list?.instances.length ? window.before : null;
  return (
    <div class="window-bar">
      <div class="labels">
        {before !== null && <Step benchmark={head.id} board={before} sign="‹" />}
        <strong>{describeInstance(head.board) ?? head.board_title}</strong>
        {after !== null && <Step benchmark={head.id} board={after} sign="›" />}
        <span class="fine" aria-live="off">
          {isOver ? say("ended") : say("ends in {time}", { time: formatLeft(window.to, now) })} · {window.time_zone}
        </span>
        {isOutdated(head) && <span class="pill">{say("is being scored again")}</span>}
      </div>
      {before !== null && list && <Archive key={head.board} benchmark={head.id} window={window.window} first={list} />}
    </div>
  );
}

interface StepProps {
  readonly benchmark: string;
  readonly board: string;
  readonly sign?: string;
}

/** A link to another instance. */
function Step({ benchmark, board, sign }: StepProps) {
  const name = describeInstance(board) ?? board;
  return (
    <a
      class={sign && "button small"}
      href={boardPath(benchmark, board)}
      title={sign && name}
      aria-label={sign && name}
      onClick={stayOnPage}
    >
      {sign ?? name}
    </a>
  );
}

interface ArchiveProps {
  readonly benchmark: string;
  readonly window: string;
  /** The latest ones. */
  readonly first: PlayedWindows;
}

/** The instances in which somebody played, a page at a time. */
function Archive({ benchmark, window, first }: ArchiveProps) {
  const [pages, setPages] = useState<readonly PlayedWindows[]>([first]);
  const [hasFailed, setHasFailed] = useState(false);
  const next = pages.at(-1)?.next ?? null;
  const more = async (): Promise<void> => {
    const fetched = await fetchPlayed(benchmark, window, next, AbortSignal.timeout(20_000)).catch(() => null);
    setHasFailed(fetched?.kind !== "ok");
    if (fetched?.kind === "ok") setPages([...pages, fetched.value.played]);
  };
  return (
    <details>
      <summary>{say("Archive")}</summary>
      <ul>
        {pages
          .flatMap(({ instances }) => instances)
          .map(({ board }) => (
            <li key={board}>
              <Step benchmark={benchmark} board={board} />
            </li>
          ))}
      </ul>
      {next !== null && (
        <Button small onClick={more}>
          {say("Earlier")}
        </Button>
      )}
      <p role="status">{hasFailed && say("The server did not answer. Try again.")}</p>
    </details>
  );
}
