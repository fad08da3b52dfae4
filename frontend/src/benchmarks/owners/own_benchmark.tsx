/** One benchmark for its owner: what waits, what is published, players and links, and what can be undone. */

import { useState } from "preact/hooks";

import { fetchHead, type Fetched } from "../../api/client.ts";
import type { Head } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { countListed, useSubmissions } from "../../submissions/list.ts";
import { SubmissionTable } from "../../submissions/table.tsx";
import { useTitle } from "../../ui/hooks/browser.ts";
import { explainProblem } from "../../ui/lib/checks.ts";
import { Button } from "../../ui/controls.tsx";
import { Fact, StatePill } from "../../ui/facts.tsx";
import { FormErrors } from "../../ui/forms/fields.tsx";
import { lazy } from "../../ui/lazy.tsx";
import { usePolled, type Polled } from "../../ui/hooks/polling.ts";
import { useRequest } from "../../ui/forms/request.ts";
import { boardPath } from "../../ui/lib/route.ts";
import { Unavailable } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { RelativeTime } from "../../ui/values.tsx";
import { useActs, type Act } from "./acts.ts";
import { Bans } from "./bans.tsx";
import { Closing } from "./closing.tsx";
import { Players } from "./players.tsx";
import { Publish, Rescore } from "./publish.tsx";
import { Reviews } from "./reviews.tsx";

const CorrectionList = lazy(() => import("../../boards/extras.ts").then((part) => part.CorrectionList), "prose-space");
const Invitations = lazy(() => import("../../players/invitations.tsx").then((part) => part.Invitations), "prose-space");
const SECONDS = 15;
/** While all results are scored again. */
const SWITCHING_SECONDS = 2;

interface Props {
  readonly token: string;
  readonly benchmark: string;
  /** Called with the reason if the token opens nothing. */
  readonly onRefused: (why: string) => void;
}

export function OwnBenchmark({ token, benchmark, onRefused }: Props) {
  const { acts, add, undo } = useActs(token, benchmark);
  const [next, setNext] = useState("");
  const head = usePolled(
    benchmark,
    (signal) => fetchHead(benchmark, signal),
    ({ version }) => (switches(version, next) ? SWITCHING_SECONDS : SECONDS),
  );
  const reviews = useSubmissions(benchmark, { in_review: "true" }, token, {
    onRejected: (problem) => onRefused(explainProblem(problem).join(" ")),
  });
  const errors = useSubmissions(benchmark, { outcome: "failed" }, token);
  useTitle(`${head.value?.title ?? benchmark} · ${say("For owners")}`);
  if (reviews.page === null) return <Unavailable {...reviews} missing={say("There is no such benchmark.")} />;
  const props = { token, benchmark };
  return (
    <>
      <div class="headline">
        <h1>
          <bdi>{head.value?.title ?? benchmark}</bdi>
        </h1>
        <p class="actions">
          <Button href="/owners">{say("Your benchmarks")}</Button>
          <Button href={boardPath(benchmark)}>{say("See the board")}</Button>
        </p>
      </div>
      {head.value && <Facts head={head.value} waits={countListed(reviews.page)} />}
      <Recent acts={acts} undo={async (act) => undo(act).finally(reviews.retry)} />
      <Tabs
        label={say("Tasks")}
        tabs={[
          {
            label: say("Waiting"),
            panel: (
              <>
                <Reviews {...props} head={head.value} list={reviews} onAct={add} />
                <section class="stack" aria-label={say("Submissions without a score")}>
                  <h2>{say("Submissions without a score")}</h2>
                  <SubmissionTable
                    {...{ benchmark, list: errors, metrics: [], owner: token }}
                    label={say("Submissions without a score")}
                  />
                </section>
              </>
            ),
          },
          { label: say("Publish"), panel: <Publishing {...props} head={head} next={next} onStarted={setNext} /> },
          {
            label: say("Players"),
            panel: (
              <>
                <Players {...props} head={head.value} />
                <Bans {...props} head={head.value} acts={acts[0]?.at ?? 0} onAct={add} />
              </>
            ),
          },
          { label: say("Invitations"), panel: <Invitations {...props} /> },
        ]}
      />
    </>
  );
}

/** Return whether the board is about to switch to a version. */
const switches = (version: string | undefined, next: string): boolean => next !== "" && next !== version;

interface PublishingProps {
  readonly token: string;
  readonly benchmark: string;
  readonly head: Polled<Head>;
  /** The version to which the board switches once all results are scored again, or "". */
  readonly next: string;
  readonly onStarted: (next: string) => void;
}

/** What publishes the benchmark, scores all results again, and closes it. */
const Publishing = ({ head: { value, retry }, next, onStarted, ...props }: PublishingProps) => (
  <div class="stack">
    <p class="fine">
      {say(
        "Dates change here, too: edit opens or closes in benchmark.yaml, and publish the folder. Nothing is scored again for that.",
      )}
    </p>
    <Publish {...props} version={value?.version} onPublished={retry} />
    {value?.corrected_at != null && <CorrectionList head={value} />}
    <Rescore
      {...props}
      next={switches(value?.version, next) ? next : ""}
      onStarted={(version) => (onStarted(version), retry())}
    />
    <Closing {...props} />
  </div>
);

const Facts = ({ head, waits }: { readonly head: Head; readonly waits: string }) => (
  <dl class="facts">
    <Fact label={say("State")}>
      <StatePill opens={head.opens} closes={head.closes} />
    </Fact>
    <Fact label={say("In review")}>{waits}</Fact>
    <Fact label={say("Submissions")}>{head.counts.submissions}</Fact>
    <Fact label={say("Board changed")}>
      <RelativeTime at={head.generated_at} />
    </Fact>
  </dl>
);

interface RecentProps {
  readonly acts: readonly Act[];
  readonly undo: (act: Act) => Promise<Fetched<unknown>>;
}

/** What the owner did within the hour, each with a button that undoes it. */
function Recent({ acts, undo }: RecentProps) {
  const { errors, send } = useRequest();
  return (
    <section aria-label={say("Just done")}>
      <ul class="plain-list">
        {acts.map((act) => (
          <li key={act.at}>
            <span role="status">
              {describe(act)}{" "}
              <span class="fine">
                <RelativeTime at={act.at} />
              </span>
            </span>
            <Button small onClick={() => void send(undo(act))}>
              {act.kind === "accept" ? say("Undo: withdraw") : say("Undo")}
            </Button>
          </li>
        ))}
      </ul>
      <FormErrors errors={errors} />
    </section>
  );
}

function describe(act: Act): string {
  if ("who" in act) {
    const who = `\u2068${"name" in act.who ? act.who.name : (act.shown ?? act.who.player)}\u2069`;
    return act.kind === "ban" ? say("Banned {who}.", { who }) : say("The ban of {who} is lifted.", { who });
  }
  const count = act.submissions.length;
  return act.kind === "accept"
    ? say("{count} submission accepted.|{count} submissions accepted.", { count })
    : say("{count} submission rejected.|{count} submissions rejected.", { count });
}
