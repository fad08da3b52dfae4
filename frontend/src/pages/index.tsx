/** `/`: every board as a card, most recently updated first. */

import { fetchIndex } from "../api/views.ts";
import type { IndexEntry } from "../api/generated/types.ts";
import { Button, SearchField } from "../components/controls.tsx";
import { Fact } from "../components/facts.tsx";
import { ShortName } from "../components/player_name.tsx";
import { Bars, Notice, StaleBanner, Unavailable } from "../components/states.tsx";
import { RelativeTime, StatePill, TagPills } from "../components/values.tsx";
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
  const params = new URLSearchParams(search);
  const query = params.get("q") ?? "";
  const all = value?.benchmarks ?? [];
  const tags = [...new Set(all.flatMap((board) => board.tags))].sort();
  const states = [...new Set(all.map((board) => board.state))];
  const boards = findBoards(all, query).filter(
    (board) =>
      (params.get("tag") === null || board.tags.includes(params.get("tag") ?? "")) &&
      (params.get("state") === null || board.state === params.get("state")),
  );
  const change = (name: string, text: string | null): void => {
    const changed = new URLSearchParams(search);
    if (text === null || text === "") changed.delete(name);
    else changed.set(name, text);
    changeView(changed.size === 0 ? "" : `?${changed}`, "replace");
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
            {option.replaceAll("_", " ")}
          </option>
        ))}
      </select>
    );
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
              onInput={(text) => change("q", text)}
            />
            {choice("tag", "Any tag", tags)}
            {choice("state", "Any state", states)}
            <p class="count" role="status">
              {formatCount(boards.length)} of {formatPlural(all.length, "board")}
            </p>
          </div>
          {boards.length === 0 ? (
            <Notice title="No board matches" heading="h2">
              <p>Change the search, the tag or the state to see other boards.</p>
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

const Leaders = ({ board: { leader, leader_verified } }: { readonly board: IndexEntry }) => (
  <span class="leaders">
    {leader.map((name, index) => (
      <span key={index}>
        {index > 0 && ", "}
        <ShortName name={name} verified={leader_verified[index] ?? false} />
      </span>
    ))}
  </span>
);
