/** Boards on the front page, each as fresh as its head: the one with the latest event, and cards. */

import { useEffect, useRef, useState } from "preact/hooks";

import { cardPause, widePause } from "../../../sdk/cards.js";
import { fetchHead } from "../api/client.ts";
import type { Head, IndexEntry, IndexRow } from "../api/generated/types.ts";
import { Curve, Faces } from "../boards/beside/race.tsx";
import { findLead, rowAt } from "../boards/rows/row.ts";
import { formatGap } from "../boards/rows/shape.ts";
import { mix, say } from "../languages/say.ts";
import { useNow } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { playerOf } from "../ui/hooks/storage.ts";
import { Face, Medal, Sign } from "../ui/icons.tsx";
import { formatRank, formatScore, formatWithUnit } from "../ui/lib/format.ts";
import { guestMark } from "../ui/lib/guests.ts";
import { hueOf } from "../ui/lib/hash.ts";
import { spellRank } from "../ui/lib/ordinal.ts";
import { boardPath } from "../ui/lib/route.ts";
import { TimeAgo, useBenchmarkState } from "../ui/values.tsx";
import { findOwn } from "./own.tsx";

const FIRST = 6;
const DAY = 86_400_000;

export interface BoardProps {
  readonly entry: IndexEntry;
  /** What the page knows of the board already. */
  readonly head: Head | null;
  readonly onHead: (head: Head) => void;
}

/** Ask for the head of a board that is in view or has the visitor; return what the board's element takes as `ref`. */
function useHead({ entry: { id }, head, onHead }: BoardProps, isWide: boolean) {
  const element = useRef<HTMLElement>(null);
  const [isInView, setIsInView] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => setIsInView(entries.at(-1)?.isIntersecting ?? false));
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  const { value } = usePolled(
    isInView || playerOf(id).find() ? id : null,
    (signal) => fetchHead(id, signal),
    ({ beat }, unchanged) => (isWide ? widePause(unchanged, beat) : cardPause(unchanged)),
    head,
  );
  useEffect(() => {
    if (value) onHead(value);
  }, [value]);
  return element;
}

type Leader = IndexRow & { readonly tied?: boolean };

/** Return the first rows of a board, at most so many: those of its head, until then those of the index. */
const listFirst = ({ entry: { top, primary }, head }: BoardProps, count: number): readonly Leader[] =>
  head
    ? head.rows.player
        .slice(0, count)
        .map((_, index) => ({ ...rowAt(head.rows, index), value: head.rows.scores[primary.id]?.[index] ?? null }))
    : top.slice(0, count);

/** The board with the latest event, its curve and its first rows. */
export function Wide(props: BoardProps) {
  const { entry, head } = props;
  const element = useHead(props, true);
  const rows = listFirst(props, FIRST);
  const [first, second] = rows;
  const lead = head && findLead(head);
  const own = head && findOwn(head)?.player;
  const player = <bdi>{first?.name}</bdi>;
  const gapOf = (value: number | null = null) =>
    formatGap({ metric: entry.primary, best: first?.value ?? 0, end: 0 }, value);
  const ahead = gapOf(second?.value);
  return (
    <article class="event" style={{ "--h": hueOf(entry.id) }} ref={element}>
      <div>
        <Curve head={head} />
        {head && <Faces head={head} />}
        <p class="of">
          <Sign board={entry.id} size={36} />
          <a href={boardPath(entry.id)} lang="">
            {entry.title}
          </a>
          <BoardState {...props} />
        </p>
        <h1>
          {lead?.from
            ? mix("{player} took the lead from {other}", { player, other: <bdi>{lead.from}</bdi> })
            : mix("{player} leads", { player })}
        </h1>
        <p>
          {ahead ? <b>{say("{distance} ahead", { distance: ahead.slice(1) })}</b> : "\u00a0"}
          {lead && (
            <span class="fine">
              {" "}
              · <TimeAgo at={lead.at} />
            </span>
          )}
        </p>
      </div>
      <ol>
        {Array.from({ length: FIRST }, (_, index) => {
          const row = rows[index];
          return (
            <li key={index} class={row && own === row.player ? "own" : undefined}>
              {row && (
                <>
                  {row.rank <= 3 ? (
                    <Medal {...row} />
                  ) : (
                    <span class="fine">{formatRank(row.rank, row.tied ?? false)}</span>
                  )}
                  <Face {...row} size={26} />
                  <Name {...row} />
                  <b>{formatScore(row.value, entry.primary)}</b>
                  <span class="gap fine">{gapOf(row.value)}</span>
                </>
              )}
            </li>
          );
        })}
      </ol>
    </article>
  );
}

const Name = ({ name, verified }: Pick<Leader, "name" | "verified">) => (
  <span class="who">
    <bdi>{name}</bdi>
    <span class="unseen">{guestMark(name, verified)}</span>
  </span>
);

/** One board of many: its sign, how many play, who leads, and where the visitor is. */
export function Card(props: BoardProps) {
  const { entry, head } = props;
  const element = useHead(props, false);
  const own = head && findOwn(head);
  const [leader] = listFirst(props, 1);
  return (
    <article class="card" style={{ "--h": hueOf(entry.id) }} ref={element}>
      <Sign board={entry.id} />
      <h3 lang="">
        <a href={boardPath(entry.id)}>{entry.title}</a>
      </h3>
      <b>{own && say("You: {rank}", { rank: spellRank(own.rank, own.tied) })}</b>
      <p class="fine">
        {say("{count} player|{count} players", { count: head?.counts.players ?? entry.players })}
        {entry.tags[0] && ` · ${entry.tags[0]}`} <BoardState {...props} />
      </p>
      {leader ? (
        <>
          <Curve head={head} />
          <p class="leaders">
            <Face {...leader} size={24} />
            <Name {...leader} />
            <b>{formatWithUnit(leader.value, entry.primary)}</b>
          </p>
        </>
      ) : (
        <p class="fine" lang="">
          {entry.summary}
        </p>
      )}
    </article>
  );
}

/** That a board is frozen, final, closed or not open yet, or that it closes within a day; else nothing. */
function BoardState({ entry, head }: BoardProps) {
  const { opens, closes } = head ?? entry;
  const state = useBenchmarkState(opens, closes);
  if (head?.final?.is_shown) return <span class="pill final">{say("Final")}</span>;
  if (head?.frozen) return <span class="pill">{say("Frozen")}</span>;
  if (state !== "open") return <span class="pill">{state === "closed" ? say("Closed") : say("Not open yet")}</span>;
  const end = Date.parse(closes ?? "");
  return end < Date.now() + DAY ? <Countdown to={end} /> : null;
}

/** How long a board is still open: `47:12`. */
function Countdown({ to }: { readonly to: number }) {
  const time = new Date(Math.max(0, to - useNow(1000))).toISOString().slice(11, 19).replace(/^00:/, "");
  return <span>{say("closes in {time}", { time })}</span>;
}
