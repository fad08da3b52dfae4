/** `/`: every board as a card, most recently updated first. */

import { fetchIndex } from "../api/views.ts";
import type { IndexEntry } from "../api/generated/types.ts";
import { Button, SearchField } from "../components/controls.tsx";
import { ShortName } from "../components/player_name.tsx";
import { Bars, Notice, StaleBanner, Unavailable } from "../components/states.tsx";
import { Fact, RelativeTime, StatePill, TagPills } from "../components/values.tsx";
import { useTitle } from "../hooks/browser.ts";
import { changeView } from "../hooks/navigation.ts";
import { usePolled } from "../hooks/polling.ts";
import { findBoards } from "../lib/boards.ts";
import { formatCount, formatPlural, formatWithUnit } from "../lib/format.ts";
import { boardPath } from "../lib/route.ts";

const SECONDS = 20;

export function IndexPage({ search }: { readonly search: string }) {
  useTitle("");
  const { phase, value, retry } = usePolled("index", fetchIndex, () => SECONDS);
  const query = new URLSearchParams(search).get("q") ?? "";
  const all = value?.benchmarks ?? [];
  const boards = findBoards(all, query);
  return (
    <>
      <StaleBanner stale={phase === "stale"} retry={retry} />
      <div class="hero">
        <h1>Boards</h1>
        <p class="lead">Hand in a result, get a score, see who leads.</p>
      </div>
      {value === null && phase !== "missing" ? (
        <Unavailable phase={phase} retry={retry} missing="">
          <Bars count={6} kind="card" />
        </Unavailable>
      ) : all.length === 0 ? (
        <Notice title="No boards yet" heading="h2">
          <p>
            A benchmark is a folder; <code>laurel publish benchmarks/…</code> adds its board here.
          </p>
        </Notice>
      ) : (
        <>
          <div class="toolbar">
            <SearchField
              label="Search the boards"
              placeholder="Find a board"
              value={query}
              onInput={(text) => changeView(text === "" ? "" : `?${new URLSearchParams({ q: text })}`, "replace")}
            />
            <p class="count" role="status">
              {formatCount(boards.length)} of {formatPlural(all.length, "board")}
            </p>
          </div>
          {boards.length === 0 ? (
            <Notice title="No board matches" heading="h2">
              <p>No title, summary or tag contains “{query}”.</p>
              <Button onClick={() => changeView("", "replace")}>Show all boards</Button>
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
      )}
    </>
  );
}

const Card = ({ board }: { readonly board: IndexEntry }) => (
  <article class="card">
    <h2>
      <a href={boardPath(board.id)}>{board.title}</a>
    </h2>
    <p class="summary">{board.summary}</p>
    <p class="labels">
      <StatePill opens={board.opens} closes={board.closes} />
      <TagPills tags={board.tags} />
    </p>
    <dl class="lead-line">
      <Fact class="grow" label={board.leader.length > 1 ? "Leaders" : "Leader"}>
        {board.leader.length > 0 ? <Leaders board={board} /> : "nobody yet"}
      </Fact>
      {board.best !== null && (
        <Fact class="end" label={board.primary.label}>
          {formatWithUnit(board.best, board.primary)}
        </Fact>
      )}
    </dl>
    <p class="fine">
      <span>
        {formatPlural(board.players, "player")} · {formatPlural(board.submissions, "submission")}
      </span>
      <RelativeTime at={board.updated_at} />
    </p>
  </article>
);

// The index of an earlier release has no leader_verified.
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
