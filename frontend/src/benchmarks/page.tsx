/** `/`: every board as a card, open ones first, then the most recently updated. */

import { findServed } from "../api/client.ts";
import type { Index, IndexEntry } from "../api/generated/types.ts";
import { fetchIndex, INDEX } from "../api/views.ts";
import { mix, say } from "../languages/say.ts";
import { useNow, useTitle } from "../ui/hooks/browser.ts";
import { Button, SearchField } from "../ui/controls.tsx";
import { formatScore, formatWithUnit, sayBetter } from "../ui/lib/format.ts";
import { Medal } from "../ui/icons.tsx";
import { changeView } from "../ui/hooks/navigation.ts";
import { ShortName } from "../ui/player_name.tsx";
import { usePolled } from "../ui/hooks/polling.ts";
import { boardPath } from "../ui/lib/route.ts";
import { Bars, Notice, StaleBanner, Unavailable } from "../ui/states.tsx";
import { StatePill, TagPills } from "../ui/facts.tsx";
import { RelativeTime, TimeAgo } from "../ui/values.tsx";
import { findBoards } from "./search.ts";

const SECONDS = 20;
const DAY = 86_400_000;
const MAX_NEWS = 3;
const STATES: Readonly<Record<string, string>> = {
  open: say("Open"),
  closed: say("Closed"),
  not_open_yet: say("Not open yet"),
};

export function IndexPage({ search }: { readonly search: string }) {
  useTitle("");
  const { phase, value, retry } = usePolled("index", fetchIndex, () => SECONDS, findServed<Index>(INDEX));
  const all = value?.benchmarks ?? [];
  return (
    <>
      <StaleBanner stale={phase === "stale"} retry={retry} />
      <div class="hero">
        <h1>{say("Boards")}</h1>
        <p class="lead">{say("Hand in a result, get a score, see who leads.")}</p>
        <p class="labels">
          <a href="/docs/games">{say("Add a game")}</a>
          <a href="/docs/players">{say("Hand in a model’s runs")}</a>
          <a href="/docs/benchmarks">{say("Make a benchmark")}</a>
          <a href="/owners">{say("For owners")}</a>
        </p>
        <Today boards={all} />
      </div>
      {value === null && phase !== "missing" ? (
        <Unavailable phase={phase} retry={retry} missing="">
          <Bars count={6} kind="card" />
        </Unavailable>
      ) : all.length === 0 ? (
        <Notice title={say("No boards yet")} heading="h2">
          <p>
            {mix("A benchmark is a folder; {command} adds its board here.", {
              command: <code>laurel publish benchmarks/…</code>,
            })}
          </p>
        </Notice>
      ) : (
        <Boards all={all} params={new URLSearchParams(search)} />
      )}
    </>
  );
}

interface BoardsProps {
  readonly all: readonly IndexEntry[];
  /** The query of the address: what is searched, a tag and a state. */
  readonly params: URLSearchParams;
}

/** The boards that the address selects, below what selects them. */
function Boards({ all, params }: BoardsProps) {
  const [query, tag, state] = ["q", "tag", "state"].map((name) => params.get(name));
  const boards = findBoards(all, query ?? "").filter(
    (board) => (tag == null || board.tags.includes(tag)) && (state == null || board.state === state),
  );
  const change = (name: string, text: string): void => {
    if (text === "") params.delete(name);
    else params.set(name, text);
    changeView(params.size === 0 ? "" : `?${params}`, "replace");
  };
  const choice = (name: string, label: string, options: readonly string[]) =>
    options.length > 1 && (
      <select
        aria-label={label}
        value={params.get(name) ?? ""}
        onChange={(event) => change(name, event.currentTarget.value)}
      >
        <option value="">{label}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {STATES[option] ?? option}
          </option>
        ))}
      </select>
    );
  return (
    <>
      <div class="toolbar">
        <SearchField
          label={say("Search the boards")}
          placeholder={say("Find a board")}
          value={query ?? ""}
          onInput={(text) => change("q", text)}
        />
        {choice("tag", say("Any tag"), [...new Set(all.flatMap((board) => board.tags))].sort())}
        {choice("state", say("Any state"), [...new Set(all.map((board) => board.state))])}
        <p class="count" role="status">
          {say("{shown} of {count} board|{shown} of {count} boards", { shown: boards.length, count: all.length })}
        </p>
      </div>
      {boards.length === 0 ? (
        <Notice title={say("No board matches")} heading="h2">
          <p>{say("Change the search, the tag or the state to see other boards.")}</p>
          <Button onClick={() => changeView("", "replace")}>{say("Show all boards")}</Button>
        </Notice>
      ) : (
        <ul class="cards">
          {boards.map((board) => (
            <li key={board.id}>
              <Card board={board} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const Card = ({ board }: { readonly board: IndexEntry }) => (
  <article class="card">
    <h2 lang="">
      <a href={boardPath(board.id)}>{board.title}</a>
    </h2>
    <p class="summary" lang="">
      {board.summary}
    </p>
    <p class="labels">
      <StatePill opens={board.opens} closes={board.closes} />
      <TagPills tags={board.tags} />
      {board.link && (
        <a class="outside" href={board.link.url} rel="noopener">
          {board.link.label}
        </a>
      )}
    </p>
    {board.top.length > 0 ? <Top board={board} /> : <p class="first-rows">{say("Nobody is on this board yet.")}</p>}
    <p class="fine">
      <span>
        {say("{count} player|{count} players", { count: board.players })} ·{" "}
        {say("{count} submission|{count} submissions", { count: board.submissions })}
      </span>
      <RelativeTime at={board.updated_at} />
    </p>
  </article>
);

/** The first rows, and how all rows are spread from the last to the first. */
const Top = ({ board: { top, spread, ends, primary } }: { readonly board: IndexEntry }) => (
  <div class="first-rows">
    <table>
      <thead class="unseen">
        <tr>
          <th scope="col">{say("Rank")}</th>
          <th scope="col">{say("Player")}</th>
          <th scope="col">{primary.label}</th>
        </tr>
      </thead>
      <tbody>
        {top.map(({ name, verified, rank, value }, index) => (
          <tr key={index}>
            <td>{rank <= 3 ? <Medal rank={rank} /> : rank}</td>
            <th scope="row" class="leaders">
              <ShortName name={name} verified={verified} />
            </th>
            <td class="number">{formatWithUnit(value, primary)}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {spread.length > 0 && <Spread counts={spread} />}
    <p class="fine">
      {ends && <span aria-hidden="true">{formatScore(ends[0], primary)}</span>}
      <span>
        {primary.label} <span aria-hidden="true">{primary.direction === "higher" ? "↑" : "↓"}</span>
        <span class="unseen">, {sayBetter(primary)}</span>
      </span>
      {ends && <span aria-hidden="true">{formatScore(ends[1], primary)}</span>}
    </p>
  </div>
);

const BAR = 10;
const HEIGHT = 26;
/** So many dots stand on each other; where there are more, bars say how many. */
const STACK = 4;

/** How many rows are where between the last and the first: a dot each, or bars. */
const Spread = ({ counts }: { readonly counts: readonly number[] }) => {
  const most = Math.max(...counts);
  return most <= STACK ? (
    <svg class="spread dots" aria-hidden="true">
      {counts.flatMap((count, step) =>
        Array.from({ length: count }, (_, level) => (
          <circle cx={`${(100 * (step + 0.5)) / counts.length}%`} cy={HEIGHT - 4 - 7 * level} r="3" />
        )),
      )}
    </svg>
  ) : (
    <svg class="spread" viewBox={`0 0 ${counts.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {counts.map((count, index) => {
        const height = count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT);
        return <rect key={index} x={index * BAR} y={HEIGHT - height} width={BAR - 2} height={height} />;
      })}
    </svg>
  );
};

/** Who took the lead of a board within the last day, the latest first. */
const Today = ({ boards }: { readonly boards: readonly IndexEntry[] }) => {
  const now = useNow();
  const taken = boards
    .flatMap((board) => {
      const at = Date.parse(board.taken_at ?? "");
      return now - at < DAY ? [{ board, at }] : [];
    })
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_NEWS);
  if (taken.length === 0) return null;
  return (
    <ul class="today" aria-label={say("Today")}>
      {taken.map(({ board, at }) => (
        <li key={board.id}>
          <a href={boardPath(board.id)}>{board.title}</a>
          <span>
            {mix("{player} took the lead, {time}", {
              player: <ShortName name={board.top[0]?.name ?? ""} verified={board.top[0]?.verified ?? false} />,
              time: <TimeAgo at={at} now={now} />,
            })}
          </span>
        </li>
      ))}
    </ul>
  );
};
