/** Beside the rows of a wall: the clock, what came last, and a code that lets people in. */

import { correction, generate } from "lean-qr/nano";
import { useMemo } from "preact/hooks";

import type { Head, Rows } from "../../api/generated/types.ts";
import { fetchBenchmark } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import { useNow } from "../../ui/hooks/browser.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { Face } from "../../ui/icons.tsx";
import { formatSince } from "../../ui/lib/format.ts";
import { submitPath } from "../../ui/lib/route.ts";
import { formatCountdown } from "../rows/instances.ts";
import { formatUnit, latestRows, spellRank } from "../rows/ranks.ts";
import type { News } from "./news.ts";

const LATEST = 6;
const DAY = 86_400_000;
/** Around a code, in its squares. */
const QUIET = 4;

interface Props {
  readonly head: Head;
  readonly rows: Rows;
  readonly news: News | null;
  readonly isOpen: boolean;
}

export const WallSide = ({ head, rows, news, isOpen }: Props) => (
  <aside>
    <section>
      <Clock head={head} />
      <p class="fine">
        {say("{count} player|{count} players", { count: head.counts.players })} ·{" "}
        {say("{count} submission|{count} submissions", { count: head.counts.submissions + head.counts.unranked })}
      </p>
    </section>
    <section>
      <h2>{say("Latest")}</h2>
      <ul>
        {latestRows(rows, LATEST).map((row) => (
          <li key={row.id}>
            <Face {...row} />
            <bdi class="clip">{row.name}</bdi>
            <span class="fine">{spellRank(row.rank, row.tied)}</span>
            <Moved won={news?.moved.get(row.id)?.won ?? 0} />
          </li>
        ))}
      </ul>
    </section>
    {isOpen && <TakePart head={head} />}
  </aside>
);

/** How many places a row has won or lost. */
export const Moved = ({ won }: { readonly won: number }) => (
  <span class={won > 0 ? "moved won" : "moved"}>{won !== 0 && `${won > 0 ? "▲" : "▼"}${Math.abs(won)}`}</span>
);

/** How long it is until the board opens or ends; the time of day if it does neither. */
function Clock({ head: { opens, closes, window } }: Pick<Props, "head">) {
  const now = useNow(1000);
  const ends = window?.to ?? closes;
  const [label, to] =
    opens !== null && now < Date.parse(opens)
      ? [say("Opens in"), opens]
      : ends !== null && now < Date.parse(ends)
        ? [say("Closes in"), ends]
        : [say("Now"), null];
  const left = to === null ? 0 : Date.parse(to) - now;
  return (
    <>
      <h2>{label}</h2>
      <p class="clock" role="timer" aria-live="off">
        {left <= 0
          ? formatSince(now)
          : left > 2 * DAY
            ? formatUnit(Math.floor(left / DAY), "day", "long")
            : formatCountdown(left)}
      </p>
    </>
  );
}

/**
 * The address where anybody can hand in, as a code for a phone's camera; nothing where that needs a token, or is over.
 * ISO/IEC 18004, with the quiet zone that it asks for.
 */
function TakePart({ head }: Pick<Props, "head">) {
  const { value } = usePolled(head.id, (signal) => fetchBenchmark(head.id, signal));
  // A result that needs a run ticket comes from the game alone.
  const path = value?.runs ? head.links[0]?.url : submitPath(head.id, head.board);
  const address = path === undefined ? "" : new URL(path, location.origin).href;
  const code = useMemo(() => generate(address, { minCorrectionLevel: correction.M }), [address]);
  const isOver = head.closes !== null && Date.parse(head.closes) < Date.now();
  if (!value?.submissions.anonymous || address === "" || isOver) return null;
  const { host, pathname } = new URL(address);
  const size = code.size + 2 * QUIET;
  const places = Array.from({ length: size }, (_, place) => place);
  const draw = (x: number, y: number): string => (code.get(x - QUIET, y - QUIET) ? `M${x} ${y}h1v1h-1z` : "");
  const squares = places.flatMap((y) => places.map((x) => draw(x, y))).join("");
  return (
    <section class="take-part">
      <svg class="code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={say("Code of {address}", { address })}>
        <path d={squares} />
      </svg>
      <p>
        <b>
          {host}
          <wbr />
          {pathname}
        </b>
        <br />
        {say("hand in from your phone")}
      </p>
    </section>
  );
}
