/** One benchmark for its owner: what waits, what is published, players and links. */

import { useState } from "preact/hooks";

import { fetchBoards, fetchHead } from "../../api/client.ts";
import type { Head } from "../../api/generated/types.ts";
import { post } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import { useSubmissions } from "../../submissions/requests.ts";
import { SubmissionTable } from "../../submissions/table.tsx";
import { useTitle } from "../../ui/hooks/browser.ts";
import { explainProblem } from "../../ui/lib/checks.ts";
import { Button } from "../../ui/controls.tsx";
import { StatePill } from "../../ui/facts.tsx";
import { Form, readReason, ReasonField } from "../../ui/forms/fields.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { lazy } from "../../ui/lazy.tsx";
import { usePolled, type Polled } from "../../ui/hooks/polling.ts";
import { boardPath } from "../../ui/lib/route.ts";
import { Unavailable } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { People } from "./players.tsx";
import { Publish } from "./publish.tsx";
import { Rescore } from "./rescore.tsx";
import { Reviews } from "./reviews.tsx";
import { Runners } from "./runners.tsx";

const CorrectionList = lazy(() => import("../../boards/extras.ts").then((part) => part.CorrectionList), "prose-space");
const Invitations = lazy(() => import("../../players/links.tsx").then((part) => part.Invitations), "prose-space");
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
      <p class="labels">{head.value && <StatePill {...head.value} />}</p>
      <Tabs
        label={say("Tasks")}
        tabs={[
          {
            label: say("Waiting"),
            panel: (
              <>
                <Runners {...props} />
                <Reviews {...props} head={head.value} list={reviews} />
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
          { label: say("Players"), panel: <People {...props} head={head.value} /> },
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
      final={value?.final}
      next={switches(value?.version, next) ? next : ""}
      onStarted={(version) => (onStarted(version), retry())}
    />
    <Closing {...props} />
  </div>
);

/** Archives a benchmark, brings it back, or deletes one to which nobody has submitted. */
function Closing({ token, benchmark }: Pick<Props, "token" | "benchmark">) {
  const { errors, send } = useRequest();
  const [changed, setChanged] = useState<boolean | null>(null);
  const listed = usePolled(benchmark, (signal) => fetchBoards(benchmark, signal));
  const isArchived = changed ?? listed.value?.archived != null;
  const run = async (route: "archive" | "deletion", wish: object, archived: boolean): Promise<boolean> => {
    const isDone = (await send(post(`/api/benchmarks/${benchmark}/${route}`, token, wish))) !== null;
    if (isDone) setChanged(archived);
    return isDone;
  };
  const remove = async (): Promise<void> => {
    if (!confirm(say("Delete {benchmark}? Nobody can undo that.", { benchmark }))) return;
    if (await run("deletion", { confirm: benchmark }, true)) location.assign("/owners");
  };
  return (
    <Form
      action={isArchived ? say("Bring it back") : say("Archive")}
      errors={errors}
      isPlain
      beside={isArchived && <Button onClick={() => void remove()}>{say("Delete for good")}</Button>}
      onSend={(form) => run("archive", isArchived ? { undo: true } : readReason(form), !isArchived)}
    >
      <h2>{say("Archive")}</h2>
      <p class="fine">
        {say(
          "An archived benchmark is in no list and takes no results. Two minutes later it can be deleted, if nobody has submitted.",
        )}
      </p>
      {!isArchived && <ReasonField hint={say("everybody can read it")} />}
    </Form>
  );
}
