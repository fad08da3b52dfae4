/** `/b/{b}/submit`: the rules, forms and code samples; `?upload=…`: the report of a batch. */

import type { BenchmarkView } from "../../api/generated/types.ts";
import { parseBoard } from "../../api/view.ts";
import { fetchBenchmark } from "../../api/views.ts";
import { namesParts } from "../../batches/files.ts";
import { BatchForm, BatchReport } from "../../batches/report.tsx";
import { ArchivedBanner } from "../../boards/banners.tsx";
import { formatSpan } from "../../boards/rows/ranks.ts";
import { mix, say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { Hero, Section, StatePill } from "../../ui/facts.tsx";
import { useTitle } from "../../ui/hooks/browser.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { useToken } from "../../ui/hooks/storage.ts";
import { lazy } from "../../ui/lazy.tsx";
import { formatBytes } from "../../ui/lib/checks.ts";
import { listEndings } from "../../ui/lib/file_formats.ts";
import { boardPath, type PageProps } from "../../ui/lib/route.ts";
import { listMetrics } from "../../ui/scores.tsx";
import { Unavailable } from "../../ui/states.tsx";
import { Snippet, SnippetTabs, Tabs } from "../../ui/tabs.tsx";
import { SubmitForm } from "./form.tsx";
import { writeCommand, writeCurl, writeGame, writePython, type Call } from "./samples.ts";
import { useOwnView } from "./taking.tsx";

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
  return (
    <>
      <Hero board={value} at={board}>
        <h1>{upload === null ? say("Hand in a result") : say("Your batch")}</h1>
        <p class="lead">{value.summary}</p>
        <p class="labels">
          {!value.archived && <StatePill opens={value.opens} closes={value.closes} state={value.state} />}
        </p>
      </Hero>
      {upload === null && value.archived ? (
        <>
          <ArchivedBanner mark={value.archived} />
          <Button href={boardPath(value.id, board)}>{say("See the board")}</Button>
        </>
      ) : upload === null ? (
        <ShownBenchmark benchmark={value} {...{ board, token, onToken }} />
      ) : (
        <BatchReport
          key={upload}
          {...{ benchmark, board, upload, token, onToken }}
          view={value}
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

function ShownBenchmark(given: ShownProps) {
  const benchmark = useOwnView(given.benchmark, given.token);
  const props = { ...given, benchmark };
  const limit = Math.min(benchmark.submissions.max_bytes, MAX_BODY_BYTES);
  return (
    <>
      <div class="halves">
        <Section id="form" title={benchmark.runs ? say("From the game") : say("From this page")}>
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
        </Section>
        <Section id="rules" title={say("Rules")}>
          <Rules benchmark={benchmark} limit={limit} />
          {benchmark.sample !== null && (
            <>
              <h3>{say("A sample")}</h3>
              <Snippet label={say("Sample result")} text={benchmark.sample.trim()} />
            </>
          )}
        </Section>
      </div>
      <Program benchmark={benchmark} />
      {benchmark.description !== "" && (
        <Section id="about" class="about" title={say("The task")}>
          <Prose html={benchmark.description} />
        </Section>
      )}
    </>
  );
}

interface RulesProps {
  readonly benchmark: BenchmarkView;
  /** The largest result in bytes. */
  readonly limit: number;
}

/** Who may hand in what, and how much of it a day. */
function Rules({ benchmark: { submissions: rules, guest_limits: guests, runs }, limit }: RulesProps) {
  const others = rules.takes.filter((name) => name !== "json");
  const format = { endings: listEndings(others), size: formatBytes(limit) };
  return (
    <ul class="rules">
      <li>
        {rules.anonymous
          ? say("You need no account: guests are welcome, and marked as guests.")
          : say("You need a token; it identifies you as a verified player.")}
      </li>
      <li>
        {others.length === 0
          ? say("A result is a JSON object or array of at most {size}.", format)
          : rules.takes.includes("json")
            ? say("A result is a JSON object or array, or a {endings} file, of at most {size}.", format)
            : say("A result is a {endings} file of at most {size}.", format)}
      </li>
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
      <li>{say("Every result is stored unchanged. It is scored once, and its score is signed.")}</li>
    </ul>
  );
}

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
  const calls = [
    { label: "curl", text: writeCurl(call) },
    { label: "Python", text: writePython(call) },
  ];
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
          ...(runs ? [] : calls),
          { label: "laurel", text: writeCommand(call) },
        ]}
      />
    </Section>
  );
}
