/** `/`: what happened last, where the visitor stands, and every board as a card, open ones first. */

import { useCallback, useState } from "preact/hooks";

import { INDEX_SECONDS } from "../../../sdk/cards.js";
import { findServed } from "../api/client.ts";
import type { Head, Index, IndexEntry } from "../api/generated/types.ts";
import { fetchIndex, INDEX } from "../api/views.ts";
import { findLead } from "../boards/rows/row.ts";
import { mix, say } from "../languages/say.ts";
import { Button, SearchField } from "../ui/controls.tsx";
import { useTitle } from "../ui/hooks/browser.ts";
import { changeView } from "../ui/hooks/navigation.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { Bars, Notice, StaleBanner, Unavailable } from "../ui/states.tsx";
import { Card, Wide } from "./live.tsx";
import { OwnBar } from "./own.tsx";
import { findBoards } from "./search.ts";

const DOORS = [
  {
    href: "/docs/games",
    shape: "M4 12h26v14H4zM10 19h6M13 16v6M22 17v.1M26 21v.1",
    title: say("I have a game"),
    text: say("Show a board in it with one line, count runs fairly."),
  },
  {
    href: "/docs/players",
    shape: "M9 9h16v16H9zM14 14h6v6h-6zM13 4v5M21 4v5M13 25v5M21 25v5M4 13h5M4 21h5M25 13h5M25 21h5",
    title: say("I have a model"),
    text: say("Hand in its runs from a browser or a shell, see where it stands."),
  },
  {
    href: "/owners",
    shape: "M8 30V5M8 6h18l-5 6 5 6H8",
    title: say("I run a contest"),
    text: say("Start from a table: solution.csv in, a checked board out."),
  },
];

export function IndexPage({ search }: { readonly search: string }) {
  useTitle("");
  const { phase, value, retry } = usePolled("index", fetchIndex, () => INDEX_SECONDS, findServed<Index>(INDEX));
  const all = value?.benchmarks ?? [];
  return (
    <>
      <StaleBanner stale={phase === "stale"} retry={retry} />
      {value === null && phase !== "missing" ? (
        <Unavailable phase={phase} retry={retry} missing="">
          <Bars count={6} />
        </Unavailable>
      ) : all.length === 0 ? (
        <Notice title={say("No boards yet")}>
          <p>
            {mix("A benchmark is a folder; {command} adds its board here.", {
              command: <code>laurel publish benchmarks/…</code>,
            })}
          </p>
        </Notice>
      ) : (
        <Boards all={all} params={new URLSearchParams(search)} />
      )}
      <ul class="cards doors">
        {DOORS.map(({ href, shape, title, text }) => (
          <li key={href} class="door">
            <svg class="icon" viewBox="0 0 34 34" width="34" height="34" aria-hidden="true">
              <path d={shape} />
            </svg>
            <h2>
              <a href={href}>{title}</a>
            </h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Return the board with rows whose lead was taken last; of boards that do not say when, the one that changed last. */
function findLatest(all: readonly IndexEntry[], heads: ReadonlyMap<string, Head>): IndexEntry | undefined {
  const takenAt = ({ id, taken_at }: IndexEntry): number => {
    const head = heads.get(id);
    return (head ? findLead(head)?.at : Date.parse(taken_at ?? "")) || 0;
  };
  return all
    .filter(({ top }) => top.length > 0)
    .sort((a, b) => takenAt(b) - takenAt(a) || b.updated_at.localeCompare(a.updated_at))[0];
}

interface BoardsProps {
  readonly all: readonly IndexEntry[];
  /** The query of the address: what is searched, a tag and a state. */
  readonly params: URLSearchParams;
}

/** The boards that the address selects, below what selects them. */
function Boards({ all, params }: BoardsProps) {
  const [query, tag] = [params.get("q") ?? "", params.get("tag") ?? ""];
  const boards = findBoards(all, query).filter((board) => tag === "" || board.tags.includes(tag));
  const change = (name: string, text: string): void => {
    if (text === "") params.delete(name);
    else params.set(name, text);
    changeView(params.size === 0 ? "" : `?${params}`, "replace");
  };
  const [heads, setHeads] = useState<ReadonlyMap<string, Head>>(new Map());
  const onHead = useCallback((head: Head) => setHeads((before) => new Map([...before, [head.id, head]])), []);
  const propsOf = (entry: IndexEntry) => ({ key: entry.id, entry, head: heads.get(entry.id) ?? null, onHead });
  const latest = findLatest(all, heads);
  // If a head says of a later event than the list, the two boards change places, and no other moves.
  const listed = findLatest(all, new Map());
  const others = boards.filter((board) => board !== listed);
  const cards = boards.length < all.length ? boards : others.map((board) => (board === latest && listed) || board);
  const Heading = latest ? "h2" : "h1";
  const tags = [...new Set(all.flatMap((board) => board.tags))].sort();
  return (
    <>
      {latest && <Wide {...propsOf(latest)} />}
      <OwnBar boards={all} heads={[...heads.values()]} />
      <div class="toolbar">
        <Heading>{say("Boards")}</Heading>
        <SearchField
          label={say("Search the boards")}
          placeholder={say("Find a board")}
          value={query}
          onInput={(text) => change("q", text)}
        />
        {tags.length > 1 && (
          <select
            aria-label={say("Any tag")}
            value={tag}
            onChange={(event) => change("tag", event.currentTarget.value)}
          >
            <option value="">{say("Any tag")}</option>
            {tags.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
        <p class={boards.length < all.length ? "count" : "unseen"} role="status">
          {say("{shown} of {count} board|{shown} of {count} boards", { shown: boards.length, count: all.length })}
        </p>
      </div>
      {boards.length === 0 ? (
        <Notice title={say("No board matches")} heading="h2">
          <p>{say("Change the search or the tag to see other boards.")}</p>
          <Button onClick={() => changeView("", "replace")}>{say("Show all boards")}</Button>
        </Notice>
      ) : (
        <ul class="cards">
          {cards.map((board) => (
            <li key={board.id}>
              <Card {...propsOf(board)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
