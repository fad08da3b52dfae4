/** `/b/{b}/submit`: what is asked, forms, rules and code samples; `?upload=…`: the report of a batch. */

import type { BenchmarkView } from "../../api/generated/types.ts";
import { fetchHead } from "../../api/client.ts";
import { parseBoard } from "../../api/view.ts";
import { fetchBenchmark } from "../../api/views.ts";
import { namesParts } from "../../batches/files.ts";
import { BatchForm } from "../../batches/form.tsx";
import { BatchReport } from "../../batches/report.tsx";
import { ArchivedBanner } from "../../boards/banners.tsx";
import { formatSpan, KEPT } from "../../boards/rows/ranks.ts";
import { locale, mix, say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { Fact, Hero, Section, StatePill } from "../../ui/facts.tsx";
import { useTitle } from "../../ui/hooks/browser.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { useToken } from "../../ui/hooks/storage.ts";
import { lazy } from "../../ui/lazy.tsx";
import { formatBytes } from "../../ui/lib/checks.ts";
import { listEndings } from "../../ui/lib/file_formats.ts";
import { formatCount } from "../../ui/lib/format.ts";
import { boardPath, type PageProps } from "../../ui/lib/route.ts";
import { listMetrics } from "../../ui/scores.tsx";
import { Unavailable } from "../../ui/states.tsx";
import { SnippetTabs, Tabs } from "../../ui/tabs.tsx";
import { SubmitForm } from "./form.tsx";
import { writeCommand, writeCurl, writeGame, type Call } from "./samples.ts";
import { ExtensionNote, findTaking, useOwnView } from "./taking.tsx";

const MAX_BODY_BYTES = 2_500_000;
const MAX_SAMPLE_LENGTH = 4000;

const Prose = lazy(() => import("../../ui/prose.tsx").then((module) => module.Prose), "prose-space");

export function SubmitPage({ benchmark, search }: PageProps) {
  const [token, onToken] = useToken();
  const board = parseBoard(search);
  const upload = new URLSearchParams(search).get("upload");
  const { phase, value, retry } = usePolled(benchmark, (signal) => fetchBenchmark(benchmark, signal));
  useTitle(value ? `${upload === null ? say("Hand in") : say("Batch")} · ${value.title}` : "");
  if (value === null)
    return (
      <Unavailable phase={phase} retry={retry} missing={say("There is no benchmark “{benchmark}”.", { benchmark })} />
    );
  if (upload === null && !value.archived) return <HandIn benchmark={value} {...{ board, token, onToken }} />;
  return (
    <>
      <Hero board={value} at={board}>
        <h1>{upload === null ? say("Hand in a result") : say("Your batch")}</h1>
        <p class="lead">{value.summary}</p>
      </Hero>
      {upload === null ? (
        <>
          {value.archived && <ArchivedBanner mark={value.archived} />}
          <Button href={boardPath(value.id, board)}>{say("See the board")}</Button>
        </>
      ) : (
        <BatchReport
          key={upload}
          {...{ benchmark, board, upload, token, onToken }}
          player={new URLSearchParams(search).get("player") ?? ""}
          metrics={listMetrics(value)}
        />
      )}
    </>
  );
}

interface ShownProps {
  readonly benchmark: BenchmarkView;
  /** The board from which the visitor came. */
  readonly board: string;
  readonly token: string;
  readonly onToken: (token: string) => void;
}

function HandIn(given: ShownProps) {
  const benchmark = useOwnView(given.benchmark, given.token);
  const props = { ...given, benchmark };
  const limit = Math.min(benchmark.submissions.max_bytes, MAX_BODY_BYTES);
  const { value: head } = usePolled(`head ${benchmark.id}`, (signal) => fetchHead(benchmark.id, signal));
  const [play] = head?.links ?? [];
  return (
    <>
      <Hero board={benchmark} at={given.board}>
        <div class="headline">
          <h1>{say("Hand in a result")}</h1>
          {play && <Button href={play.url}>{play.label}</Button>}
        </div>
        <p class="lead">{benchmark.summary}</p>
        {benchmark.submissions.anonymous && (
          <p class="fine">{say("You need no account: guests are welcome, and marked as guests.")}</p>
        )}
        <p class="labels" role="status">
          {(benchmark.opens ?? benchmark.closes) && <StatePill {...benchmark} />}{" "}
          <span>
            {findTaking(benchmark) === "late" && say("Closed: a result is late now. It is scored, and on no board.")}
            {benchmark.extension && <ExtensionNote extension={benchmark.extension} />}
          </span>
        </p>
        <Asked benchmark={benchmark} limit={limit} />
      </Hero>
      <div class="halves">
        <Section
          id="form"
          title={benchmark.runs ? say("From the game") : <span class="unseen">{say("From this page")}</span>}
        >
          {benchmark.runs ? (
            <p>
              {say(
                "Play the game: it submits your result. Each result needs the run ticket that the game gets when the play begins, so a file cannot be submitted here.",
              )}
            </p>
          ) : (
            <Tabs
              label={say("What to hand in")}
              tabs={[
                { label: say("One result"), panel: <SubmitForm {...props} limit={limit} /> },
                { label: say("A batch or large file"), panel: <BatchForm {...props} /> },
              ]}
            />
          )}
          <details class="help">
            <summary>{say("Rules")}</summary>
            <Rules benchmark={benchmark} />
          </details>
        </Section>
        {benchmark.description !== "" && (
          <Section id="about" title={say("The task")}>
            {!locale.startsWith("en") && <p class="fine">{say("The owner’s own text; it is not translated.")}</p>}
            <Prose html={benchmark.description} />
          </Section>
        )}
      </div>
      <Program benchmark={benchmark} />
    </>
  );
}

/** What a result is, of at most so many bytes, which one counts, and how many tries are left. */
function Asked({ benchmark, limit }: Pick<ShownProps, "benchmark"> & { readonly limit: number }) {
  const { submissions: rules, parts, ranking, runs, quota_left: left } = benchmark;
  const kept = KEPT[ranking.keep];
  return (
    <dl class="facts">
      {!runs && (
        <Fact label={say("File")}>
          {say("{endings}, up to {size}", { endings: listEndings(rules.takes), size: formatBytes(limit) })}
        </Fact>
      )}
      <Fact label={say("Counts")}>{parts.length > 0 ? say("{kept} for each part", { kept }) : kept}</Fact>
      <Fact label={say("Tries left")}>
        {left === null ? say("{count} a day", { count: rules.per_day }) : formatCount(left)}
      </Fact>
    </dl>
  );
}

/** Who may hand in, and how much a day. */
const Rules = ({ benchmark: { submissions: rules, guest_limits: guests, runs } }: Pick<ShownProps, "benchmark">) => (
  <ul class="rules">
    {!rules.anonymous && <li>{say("You need a token; it identifies you as a verified player.")}</li>}
    <li>
      {runs
        ? say("A result is accepted from {least} to {most} after its run ticket, by the server’s clock.", {
            least: formatSpan(runs.at_least_seconds),
            most: formatSpan(runs.max_age_seconds),
          })
        : say(
            "With a token you can upload batches, up to {count} results a day. Larger results are uploaded in the same way.",
            { count: rules.drop_per_day },
          )}
      {runs?.seed === "daily" && ` ${say("All players of a day (UTC) have the same seed.")}`}
    </li>
    <li>
      {say("{count} results a day under one name, and {invalid} invalid ones.", {
        count: rules.per_day,
        invalid: rules.invalid_per_day,
      })}{" "}
      {rules.anonymous &&
        `${say("All guests at your network address together: {count}, and {invalid} invalid ones.", {
          count: guests.per_day,
          invalid: guests.invalid_per_day,
        })} `}
      {say("A day ends at midnight UTC.")}
    </li>
  </ul>
);

/** How a program submits a result, as code in several languages. */
function Program({ benchmark }: Pick<ShownProps, "benchmark">) {
  const { sample, submissions: rules, runs } = benchmark;
  const call: Call = {
    origin: location.origin,
    benchmark: benchmark.id,
    part: namesParts(benchmark) ? (benchmark.parts[0] ?? null) : null,
    sample: sample !== null && sample.length <= MAX_SAMPLE_LENGTH ? sample : "{}",
    token: !rules.anonymous,
    format: rules.takes[0] ?? "json",
  };
  const ofGames = rules.anonymous && call.format === "json";
  return (
    <Section id="program" title={say("From a program")}>
      <p>
        {runs
          ? say(
              "Get a run ticket by a POST to …/runs when the play begins, and send it with the result as Laurel-Ticket. The command does both.",
            )
          : say(
              "Send one POST request, from any machine or from a page of any origin. The answer has the URL of the score.",
            )}{" "}
        {mix("The {link} page has the details.", { link: <a href="/api/docs">API</a> })}{" "}
        {mix("Games have {link}.", { link: <a href="/docs/games">{say("a guide of their own")}</a> })}
      </p>
      <SnippetTabs
        label={say("Languages")}
        snippets={[
          ...(ofGames ? [{ label: say("A game"), text: writeGame(call, runs !== null) }] : []),
          ...(runs ? [] : [{ label: "curl", text: writeCurl(call) }]),
          { label: "laurel", text: writeCommand(call) },
        ]}
      />
    </Section>
  );
}
