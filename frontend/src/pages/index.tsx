/** `/`: every board as a card, the liveliest first. */

import { fetchIndex } from "../api/client.ts";
import { changeView } from "../hooks/navigation.ts";
import { useTitle } from "../hooks/browser.ts";
import { usePolled } from "../hooks/polling.ts";
import { findBoards } from "../lib/boards.ts";
import { formatCount, formatPlural, formatWithUnit } from "../lib/format.ts";
import { boardPath } from "../lib/route.ts";
import { Icon } from "../components/icons.tsx";
import { Moment } from "../components/relative_time.tsx";
import { StatePill } from "../components/pill.tsx";
import { ShortName } from "../components/player_name.tsx";
import { Bars, Notice, StaleBanner, Unavailable } from "../components/states.tsx";
import type { IndexEntry } from "../api/generated/snapshots.ts";

const SECONDS = 20;

export function IndexPage({ search }: { readonly search: string }) {
  useTitle("");
  const { phase, value, retry } = usePolled("index", fetchIndex, () => SECONDS);
  const query = new URLSearchParams(search).get("q") ?? "";
  const boards = value?.benchmarks ?? [];
  const found = findBoards(boards, query);
  return (
    <>
      <StaleBanner stale={phase === "stale"} since="a moment ago" retry={retry} />
      <div class="hero">
        <h1>Leaderboards</h1>
        <p class="lead">Hand in a result, get a score, see who leads.</p>
      </div>
      {value === null && phase !== "ok" && phase !== "stale" && phase !== "missing" ? (
        <Unavailable phase={phase} retry={retry} missing="">
          <Bars count={6} kind="card" />
        </Unavailable>
      ) : boards.length === 0 ? (
        <Notice title="No boards yet" heading="h2">
          <p>
            A benchmark is a folder; <code>laurel publish benchmarks/…</code> puts its board here.
          </p>
        </Notice>
      ) : (
        <>
          <div class="toolbar">
            <label class="search">
              <span class="unseen">Search the boards</span>
              <Icon name="search" />
              <input
                type="search"
                placeholder="Find a board"
                value={query}
                onInput={(event) => changeView(formatQuery(event.currentTarget.value), "replace")}
              />
            </label>
            <p class="found" role="status">
              {formatCount(found.length)} of {formatPlural(boards.length, "board")}
            </p>
          </div>
          {found.length === 0 ? (
            <Notice title="No board matches" heading="h2">
              <p>Nothing in a title, summary or tag is like “{query}”.</p>
              <button type="button" class="button" onClick={() => changeView("", "replace")}>
                Show all boards
              </button>
            </Notice>
          ) : (
            <ul class="cards">
              {found.map((board) => (
                <li key={board.id}>
                  <Card board={board} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </>
  );
}

const formatQuery = (query: string): string => (query === "" ? "" : `?${new URLSearchParams({ q: query })}`);

const Card = ({ board }: { readonly board: IndexEntry }) => (
  <article class="card">
    <h2>
      <a href={boardPath(board.id)}>{board.title}</a>
    </h2>
    <p class="summary">{board.summary}</p>
    <p class="labels">
      <StatePill opens={board.opens} closes={board.closes} state={board.state} />
      {board.tags.map((tag) => (
        <span key={tag} class="pill plain">
          {tag}
        </span>
      ))}
    </p>
    <dl class="lead-line">
      <div class="grow">
        <dt>{board.leader.length > 1 ? "Leaders" : "Leader"}</dt>
        <dd>{board.leader.length > 0 ? <Leaders board={board} /> : "nobody yet"}</dd>
      </div>
      {board.best !== null && (
        <div class="end">
          <dt>{board.primary.label}</dt>
          <dd class="figure">{formatWithUnit(board.best, board.primary)}</dd>
        </div>
      )}
    </dl>
    <p class="fine">
      <span>
        {formatPlural(board.players, "player")} · {formatPlural(board.submissions, "submission")}
      </span>
      <Moment at={board.updated_at} />
    </p>
  </article>
);

// An index of an earlier release does not say who is a guest.
const Leaders = ({ board: { leader, leader_verified } }: { readonly board: IndexEntry }) => (
  <span class="leaders">
    {leader.map((name, index) => (
      <span key={index}>
        {index > 0 && ", "}
        <ShortName name={name} verified={leader_verified?.[index] ?? true} />
      </span>
    ))}
  </span>
);
