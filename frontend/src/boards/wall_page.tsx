/** `/b/{b}/wall`: a board for a projector or a stream, which nobody operates. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { encode } from "uqr";

import type { Head } from "../api/generated/types.ts";
import { MAIN, parseBoard } from "../api/view.ts";
import { say } from "../languages/say.ts";
import { useNow, useTitle } from "../ui/hooks/browser.ts";
import { Face, Medal } from "../ui/icons.tsx";
import { formatAgo, formatRank, formatTime, formatWithUnit } from "../ui/lib/format.ts";
import { guestMark } from "../ui/lib/guests.ts";
import { submitPath, type PageProps } from "../ui/lib/route.ts";
import { ShortName } from "../ui/player_name.tsx";
import { Unavailable } from "../ui/states.tsx";
import { describeInstance } from "./rows/instances.ts";
import { explainRank, latestRows, sayFrozen } from "./rows/ranks.ts";
import { rowAt, titleOf } from "./rows/row.ts";
import { formatGap, placeOf, shapeOf } from "./rows/shape.ts";
import { useMoves } from "./table/use_moves.ts";
import { useBoard } from "./use_board.ts";
import { useBoards } from "./use_boards.ts";

const ROWS = 10;
const LATEST = 4;
const TURN_MILLISECONDS = 20_000;
const WARM_MILLISECONDS = 60_000;
const NIGHT = { from: 22, until: 6 };

export function WallPage({ benchmark, search }: PageProps) {
  const only = new URLSearchParams(search).has("board") ? parseBoard(search) : null;
  const [turn, setTurn] = useState(0);
  const { boards, archived } = useBoards(benchmark, true);
  const id = only ?? boards[turn % Math.max(1, boards.length)]?.id ?? MAIN;
  const board = useBoard(benchmark, id, () => false, false);
  useTitle(board.shown ? titleOf(board.shown.head) : "");
  useAwake();
  useEffect(() => {
    const timer = setInterval(() => setTurn((last) => last + 1), TURN_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  const hour = new Date(useNow()).getHours();
  if (board.shown === null) {
    return (
      <main id="main" class="wall">
        <Unavailable
          {...board}
          missing={say("There is no board “{board}” of “{benchmark}”.", { board: id, benchmark })}
        />
      </main>
    );
  }
  const { head } = board.shown;
  return (
    <main id="main" class={hour >= NIGHT.from || hour < NIGHT.until ? "wall night" : "wall"}>
      <header>
        <img src="/favicon.svg" alt="" />
        <h1>{titleOf(head)}</h1>
        {only === null && boards.length > 1 && (
          <ol class="turns">
            {boards.map((each) => (
              <li key={each.id} aria-current={each.id === id ? "page" : undefined}>
                {each.title ?? say("All")}
              </li>
            ))}
          </ol>
        )}
        <p>
          {head.frozen && <strong>{sayFrozen(head.frozen)} · </strong>}
          {head.final?.is_shown && <strong>{say("Final")} · </strong>}
          {head.window && `${describeInstance(head.board) ?? ""} · `}
          {board.phase === "stale" ? (
            <strong>{say("no connection; as of {time}", { time: formatTime(Date.parse(head.generated_at)) })}</strong>
          ) : (
            head.summary
          )}
        </p>
      </header>
      <Rows head={head} changed={board.changed} />
      <aside>
        <Latest head={head} />
        {archived === null && <TakePart head={head} />}
      </aside>
      <p class="unseen" role="status">
        {board.announcement}
      </p>
    </main>
  );
}

/** The first rows, which fill the height. */
function Rows({ head, changed }: { readonly head: Head; readonly changed: ReadonlySet<string> }) {
  const area = useRef<HTMLDivElement>(null);
  const now = useNow();
  const shape = useMemo(() => shapeOf(head, head.rows), [head]);
  const rows = head.rows.player.slice(0, ROWS).map((_, index) => rowAt(head.rows, index));
  useMoves(area, String(head.sequence), head.board);
  const metric = head.metrics.find(({ primary }) => primary) ?? head.metrics[0];
  if (rows.length === 0) return <p class="wall-rows">{say("Nobody is on this board yet.")}</p>;
  return (
    <div class="wall-rows" ref={area}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">{say("Rank")}</span>
            </th>
            <th scope="col">
              <span class="unseen">{say("Player")}</span>
            </th>
            <th scope="col" class="number">
              {metric?.label}
            </th>
            <th scope="col" class="gap">
              {shape && say("to 1st")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const value = metric && row.scores[metric.id];
            const place = shape && placeOf(shape, value);
            const isWarm = changed.has(row.id) || now - row.at < WARM_MILLISECONDS;
            return (
              <tr key={row.id} data-row={row.id} class={isWarm ? "warm" : undefined}>
                <td>{row.rank <= 3 ? <Medal rank={row.rank} tied={row.tied} /> : formatRank(row.rank, row.tied)}</td>
                <th scope="row">
                  <Face {...row} />
                  <bdi class="clip">{row.name}</bdi>
                  {row.label && <bdi> · {row.label}</bdi>}
                  <span class="fine">
                    {row.kind === "model" && ` · ${say("model")}`}
                    {guestMark(row.name, row.verified)}
                  </span>
                </th>
                <td class="number">
                  <span class="fine">{explainRank(head, rows, row)} </span>
                  {metric && formatWithUnit(value, metric)}
                </td>
                <td class="shape-cell">
                  {place != null && <span class="line" style={{ "--at": place.toFixed(3) }} />}
                  <span class="gap">{shape && formatGap(shape, value)}</span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Whose results came last. */
function Latest({ head: { rows } }: { readonly head: Head }) {
  const now = useNow();
  return (
    <section>
      <h2>{say("Latest")}</h2>
      <ul>
        {latestRows(rows, LATEST).map((row) => (
          <li key={row.id}>
            <ShortName {...row} />
            <span class="fine">
              {say("Rank")} {formatRank(row.rank, row.tied)} · {formatAgo(row.at, Math.max(now, row.at))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The address of the form as a code for a phone's camera. ISO/IEC 18004, with the quiet zone that it asks for. */
function TakePart({ head }: { readonly head: Head }) {
  const address = `${location.origin}${submitPath(head.id, head.board)}`;
  const { data, size } = useMemo(() => encode(address, { ecc: "M", border: 4 }), [address]);
  if (head.closes !== null && Date.parse(head.closes) < Date.now()) return null;
  const path = data.flatMap((line, y) => line.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <section>
      <h2>{say("Take part")}</h2>
      <svg class="code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={say("Code of {address}", { address })}>
        <path d={path} />
      </svg>
      <p class="fine">{address.replace(/^https?:\/\//, "")}</p>
    </section>
  );
}

/** Keep the screen on while the page is in sight, where the browser can. */
function useAwake(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isOver = false;
    const hold = async (): Promise<void> => {
      if (document.hidden) return;
      lock = (await navigator.wakeLock?.request("screen").catch(() => null)) ?? null;
      if (isOver) void lock?.release();
    };
    void hold();
    document.addEventListener("visibilitychange", hold);
    return () => {
      isOver = true;
      document.removeEventListener("visibilitychange", hold);
      void lock?.release();
    };
  }, []);
}
