/** `/b/{b}/p/{player}`: one player's place on each board, rivals, improvements and submissions. */

import { nextPause } from "../../../sdk/beat.js";
import { fetchHead, findServed, headPath } from "../api/client.ts";
import type { Head, PlayerView } from "../api/generated/types.ts";
import { MAIN, parseBoard } from "../api/view.ts";
import { fetchPlayer } from "../api/views.ts";
import { Badge } from "../boards/badge.tsx";
import { describeNext, Ladder } from "../boards/ladder.tsx";
import { readPlace, type BoardPlace, type Place } from "../boards/requests/rows.ts";
import { spellRank } from "../boards/rows/ranks.ts";
import { describeMissing, DONE, findRow, hasMedal, type Row } from "../boards/rows/row.ts";
import { useFollow } from "../boards/use_follow.ts";
import { usePlaces } from "../boards/use_places.ts";
import { say } from "../languages/say.ts";
import { useSubmissions, type Submissions } from "../submissions/requests.ts";
import { SubmissionTable } from "../submissions/table.tsx";
import { Button } from "../ui/controls.tsx";
import { Hero, Section } from "../ui/facts.tsx";
import { useTitle } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { playerOf, useToken } from "../ui/hooks/storage.ts";
import { checkToken } from "../ui/lib/checks.ts";
import { describeScore, formatWithUnit } from "../ui/lib/format.ts";
import { hueOf } from "../ui/lib/hash.ts";
import { chosenPath } from "../ui/lib/paths.ts";
import { boardPath, type PageProps } from "../ui/lib/route.ts";
import { ScoreList } from "../ui/scores.tsx";
import { StaleBanner, Unavailable } from "../ui/states.tsx";
import { formatScores, numbers, Table } from "../ui/table_head.tsx";
import { Improvements } from "./improvements.tsx";
import { Portrait, Ranks, type Rank } from "./portrait.tsx";

/** The history is asked for when the board moved, but no more often; and so are places on the other boards. */
const HISTORY_SECONDS = 20;

export function PlayerPage({ benchmark, player, search }: PageProps & { readonly player: string }) {
  const [shared, keepToken] = useToken();
  const token = checkToken(shared) === null ? shared : null;
  const head = usePolled(
    `head ${benchmark}`,
    (signal) => fetchHead(benchmark, signal),
    (latest, unchanged) => nextPause(unchanged, latest.beat),
    findServed<Head>(headPath(benchmark)),
  );
  const polled = usePolled(`${benchmark} ${player}`, (signal) => fetchPlayer(benchmark, player, signal));
  const list = useSubmissions(benchmark, { player }, token, {
    seconds: null,
    // What everybody may see is shown.
    onRejected: () => keepToken(""),
  });
  const main = head.value;
  const places = usePlaces(benchmark, main, player, `${benchmark} ${player} places`);
  const ask = (): void => {
    polled.retry();
    list.retry();
    places.retry();
  };
  useFollow(main && `${main.version} ${main.sequence}`, ask, HISTORY_SECONDS);
  const row = main ? findRow(main.rows, player) : undefined;
  const view = polled.value ?? (row ? viewFromRow(row) : null);
  useTitle(view && main ? `${view.name} · ${main.title}` : "");
  if (!main || !view) {
    const { phase, retry } = main === null ? head : polled;
    const missing =
      head.phase === "missing"
        ? say("There is no board “{name}”.", { name: benchmark })
        : say("This player has no scored submission on this board.");
    return <Unavailable phase={phase} retry={retry} missing={missing} board={main ? benchmark : undefined} />;
  }
  return (
    <>
      <StaleBanner stale={head.phase === "stale" || polled.phase === "stale"} retry={polled.retry} />
      <ShownPlayer
        head={main}
        at={parseBoard(search)}
        places={places.isLoading || polled.phase === "loading" ? null : (places.value ?? [])}
        {...{ view, list }}
      />
    </>
  );
}

/** Return what the board's row says about a player. */
const viewFromRow = (row: Row): PlayerView => ({
  ...row,
  ...{ banned: null, players: null, total: null, scores: {}, parts: [], improvements: [] },
});

interface ShownProps {
  readonly head: Head;
  /** The board from which the visitor came. */
  readonly at: string;
  readonly view: PlayerView;
  /** Null until they are known. */
  readonly places: readonly BoardPlace[] | null;
  readonly list: Submissions;
}

function ShownPlayer({ head, at, view, places, list }: ShownProps) {
  const row = findRow(head.rows, view.player);
  const scores = row?.scores ?? view.scores;
  const metrics = head.metrics.toSorted((a, b) => Number(b.primary) - Number(a.primary));
  const [primary] = metrics;
  const place = places?.find(({ board }) => board === MAIN);
  const isOwn = playerOf(head.id).find() === view.player;
  const top = <Top {...{ head, at, view, row, isOwn }} place={place ?? readPlace(head, view.player)} />;
  // They come a moment later, and would move what is drawn before them.
  if (places === null)
    return (
      <div style={{ "--h": hueOf(head.id) }}>
        {top}
        <div class="page-space" />
      </div>
    );
  const parts = view.parts.filter(({ part }) => !places.some(({ board }) => board === part));
  return (
    <div style={{ "--h": hueOf(head.id) }}>
      {top}
      {view.banned && (
        <div class="banner">
          <p>
            <strong>{say("Banned by the benchmark’s owner: {reason}", { reason: view.banned })}</strong>
            <br />
            {say("Nothing of this player counts on its boards.")}
          </p>
        </div>
      )}
      <div class="columns">
        <div class="stack">
          {places.length > 0 && (
            <Section id="places" title={say("Ranks")}>
              <Ranks ranks={places.map((each) => rankOn(each))} />
            </Section>
          )}
          {metrics.length > 2 && (
            <Section id="scores" title={say("Scores")}>
              <ScoreList metrics={metrics} scores={scores} />
            </Section>
          )}
          {primary && (
            <Improvements title={say("How it went")} view={view} metric={primary} until={head.generated_at} />
          )}
          {parts.length > 0 && <Parts head={head} parts={parts} />}
        </div>
        {place && place.around.length > 1 && (
          <Section id="rivals" title={say("Above and below")}>
            <Ladder place={place} isOwn={isOwn} />
          </Section>
        )}
      </div>
      <div class="after">
        {list.page !== null && list.page.submissions.length > 0 && (
          <Section id="history" title={say("Submissions")}>
            <SubmissionTable
              {...{ benchmark: head.id, board: at, list, metrics: head.metrics }}
              label={say("Submissions")}
            />
          </Section>
        )}
        {place && <Badge head={head} player={view} />}
      </div>
    </div>
  );
}

/** Return a place as a line of the ranks. */
function rankOn({ head, row, board, title }: BoardPlace): Rank {
  const metric = head.metrics.find(({ primary }) => primary);
  return {
    ...{ id: board, benchmark: head.id, href: boardPath(head.id, board), title },
    ...{ rank: row.rank, tied: row.tied, total: head.total, hasMedal: hasMedal(head, row) },
    value: metric && formatWithUnit(row.scores[metric.id], metric),
  };
}

interface TopProps extends Pick<ShownProps, "head" | "at" | "view"> {
  readonly row: Row | undefined;
  readonly place: Place | null;
  readonly isOwn: boolean;
}

/** Who the player is, and the place on the main board. */
function Top({ head, at, view, row, place, isOwn }: TopProps) {
  const rank = row?.rank ?? view.rank;
  const scores = row?.scores ?? view.scores;
  const primary = head.metrics.find((metric) => metric.primary);
  const done = view.parts.filter((part) => part.scores !== null).length;
  const missing = describeMissing(head.parts, row?.scores ?? (view.parts.length > 0 ? { [DONE]: done } : {}));
  const visitor = playerOf(head.id).find();
  const facts = [
    rank === null
      ? say("not on the board")
      : say("{rank} of {players}", { rank: spellRank(rank, row?.tied ?? false), players: view.players ?? head.total }),
    missing,
    rank !== null &&
      head.metrics.length < 3 &&
      head.metrics.map((each) => describeScore(scores[each.id], each, each.primary ? undefined : primary)).join(" · "),
    say("{count} submission|{count} submissions", { count: view.submissions }),
    place && describeNext(place),
  ];
  return (
    <Hero board={head} at={at}>
      <Portrait view={view} facts={facts} tag={isOwn && <span class="pill good">{say("This is you")}</span>}>
        <Button href={`/p/${view.player}`}>{say("All boards")}</Button>
        {visitor !== null && !isOwn && (
          <Button href={chosenPath(head.id, `${visitor},${view.player}`, head.board)}>{say("Compare with me")}</Button>
        )}
      </Portrait>
    </Hero>
  );
}

/** What counts of each part that has no board of its own. */
function Parts({ head, parts }: { readonly head: Head; readonly parts: PlayerView["parts"] }) {
  const noun = head.parts?.noun ?? "parts";
  return (
    <Section id="parts" title={noun.charAt(0).toUpperCase() + noun.slice(1)}>
      <Table
        class="board"
        label={noun}
        columns={[noun.replace(/s$/, ""), ...head.metrics.map(({ label }) => numbers(label))]}
        rows={parts.map(({ part, scores }) => [part, ...formatScores(head.metrics, scores)])}
      />
    </Section>
  );
}
