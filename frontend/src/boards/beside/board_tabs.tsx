/** Links to the boards of a benchmark that has several, and to the instances of a window. */

import type { TargetedMouseEvent } from "preact";
import type { BoardCard, Head, HeadWindow } from "../../api/generated/types.ts";
import { MAIN } from "../../api/view.ts";
import { say } from "../../languages/say.ts";
import { useMoments, useNow } from "../../ui/hooks/browser.ts";
import { addressOf, changeView } from "../../ui/hooks/navigation.ts";
import { boardPath } from "../../ui/lib/route.ts";
import { isOutdated } from "../requests/other_boards.ts";
import { describeInstance, formatLeft } from "../rows/instances.ts";

interface Props {
  readonly benchmark: string;
  /** Empty while they are loading. */
  readonly boards: readonly BoardCard[];
  readonly current: string;
  /** Returns the address of a board; by default that of its own page. */
  readonly pathOf?: (benchmark: string, board: string) => string;
}

/** Show the board of a link, with the page where it is scrolled to. */
function stayOnPage(event: TargetedMouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  changeView(addressOf(event.currentTarget).search, "push");
}

/** Return the board that a window is of; itself for a board of any time. */
function boardOf(card: BoardCard | undefined, boards: readonly BoardCard[]): string {
  const owners = boards.filter(({ id, window }) => !window && card?.id.startsWith(`${id}-`)).map(({ id }) => id);
  return card?.window ? (owners.sort((a, b) => b.length - a.length)[0] ?? MAIN) : (card?.id ?? MAIN);
}

interface ChoicesProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly pathOf: (value: string) => string;
}

/** One of several views of the page: links, and on a phone a menu. */
export const Choices = ({ label, value, options, pathOf }: ChoicesProps) => (
  <nav class="segments choices" aria-label={label}>
    {options.map(([id, text]) => (
      <a key={id} href={pathOf(id)} aria-current={id === value ? "page" : undefined} onClick={stayOnPage}>
        {text}
      </a>
    ))}
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => changeView(new URL(pathOf(currentTarget.value), location.href).search, "push")}
    >
      {options.map(([id, text]) => (
        <option key={id} value={id}>
          {text}
        </option>
      ))}
    </select>
  </nav>
);

/** Which board, and of which time. */
export function BoardTabs({ benchmark, boards, current, pathOf = boardPath }: Props) {
  const ofAnyTime = boards.filter(({ window }) => !window);
  const board = boardOf(
    boards.find(({ id }) => id === current),
    boards,
  );
  const times = boards.filter((each) => each.window && boardOf(each, boards) === board);
  const path = (id: string): string => pathOf(benchmark, id);
  const list = (cards: readonly BoardCard[]) => cards.map(({ id, title }) => [id, title ?? say("All")] as const);
  return (
    <>
      {ofAnyTime.length > 1 && (
        <Choices label={say("Boards of this benchmark")} value={board} options={list(ofAnyTime)} pathOf={path} />
      )}
      {times.length > 0 && (
        <Choices
          label={say("Times")}
          value={current}
          options={[[board, say("All time")], ...list(times)]}
          pathOf={path}
        />
      )}
    </>
  );
}

/** Above the table of a window: the instance, its clock, and the one before. */
export function WindowBar({ head, window }: { readonly head: Head; readonly window: HeadWindow }) {
  const now = Math.max(useNow(), useMoments(window.to));
  const isOver = Date.parse(window.to) <= now;
  const before = window.before && (describeInstance(window.before) ?? window.before);
  return (
    <div class="window-bar">
      <div class="labels">
        {window.before && before && (
          <a
            class="button small"
            href={boardPath(head.id, window.before)}
            title={before}
            aria-label={before}
            onClick={stayOnPage}
          >
            ‹
          </a>
        )}
        <strong>{describeInstance(head.board) ?? head.board_title}</strong>
        <span class="fine" aria-live="off">
          {isOver ? say("ended") : say("ends in {time}", { time: formatLeft(window.to, now) })} · {window.time_zone}
        </span>
        {isOutdated(head) && <span class="pill">{say("is being scored again")}</span>}
      </div>
    </div>
  );
}
