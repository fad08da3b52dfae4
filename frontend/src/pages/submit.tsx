/** `/b/{b}/submit`: the rules, how to send from a program, and forms; `?upload=…`: what became of a batch. */

import { useState } from "preact/hooks";

import { useTitle } from "../hooks/browser.ts";
import { fetchBenchmark } from "../api/client.ts";
import { lazy } from "../components/lazy.tsx";
import { openPage } from "../hooks/navigation.ts";
import { usePolled } from "../hooks/polling.ts";
import { formatCount } from "../lib/format.ts";
import { formatBytes } from "../lib/result.ts";
import { boardPath, submitPath } from "../lib/route.ts";
import { writeCurl, writeJavaScript, writePython, type Call } from "../lib/samples.ts";
import { HandoverForm } from "../components/submission/submit_form.tsx";
import { StatePill } from "../components/pill.tsx";
import { Snippet, SnippetTabs } from "../components/snippet.tsx";
import { Bars, Unavailable } from "../components/states.tsx";
import { Tabs } from "../components/tabs.tsx";
import type { BenchmarkAnswer } from "../api/answers.ts";

const MOST_BYTES_OF_A_BODY = 2_500_000;
const LONGEST_SAMPLE = 4000;

const Prose = lazy(() => import("../components/markdown.tsx").then((part) => part.Prose), "prose-space");
// Most hand in one result; who brings a batch waits for it a moment.
const BatchForm = lazy(() => import("../components/batch/form.tsx").then((part) => part.BatchForm), "field");
const BatchReport = lazy(() => import("../components/batch/report.tsx").then((part) => part.BatchReport), "field");

interface Props {
  readonly benchmark: string;
  readonly search: string;
}

export function SubmitPage({ benchmark, search }: Props) {
  // In memory alone, and as long as the page is open.
  const [token, setToken] = useState("");
  const upload = new URLSearchParams(search).get("upload");
  const { phase, value, retry } = usePolled(
    benchmark,
    (signal) => fetchBenchmark(benchmark, signal),
    () => null,
  );
  useTitle(value ? `${upload === null ? "Hand in" : "Batch"} · ${value.title}` : "");
  if (value === null) {
    return (
      <Unavailable
        phase={phase === "ok" || phase === "stale" ? "loading" : phase}
        retry={retry}
        missing={`There is no benchmark “${benchmark}”.`}
      >
        <div class="hero" aria-hidden="true">
          <div class="bar title" />
        </div>
        <Bars count={8} kind="line" />
      </Unavailable>
    );
  }
  return (
    <>
      <div class="hero">
        <p class="crumbs">
          <a href="/">Boards</a> <a href={boardPath(benchmark)}>{value.title}</a>
        </p>
        <h1>{upload === null ? "Hand in a result" : "Your batch"}</h1>
        <p class="lead">{value.summary}</p>
        <p class="labels">
          <StatePill opens={value.opens} closes={value.closes} state={value.state} />
        </p>
      </div>
      {upload === null ? (
        <ShownBenchmark benchmark={value} token={token} onToken={setToken} />
      ) : (
        <BatchReport key={upload} benchmark={benchmark} upload={upload} token={token} onToken={setToken} />
      )}
    </>
  );
}

interface ShownProps {
  readonly benchmark: BenchmarkAnswer;
  readonly token: string;
  readonly onToken: (token: string) => void;
}

function ShownBenchmark({ benchmark, token, onToken }: ShownProps) {
  const { sample, submissions: rules } = benchmark;
  const call: Call = {
    origin: location.origin,
    benchmark: benchmark.id,
    part: benchmark.scorer === "script" ? (benchmark.parts[0] ?? null) : null,
    sample: sample !== null && sample.length <= LONGEST_SAMPLE ? sample : "{}",
    token: !rules.anonymous,
  };
  const limit = Math.min(rules.max_bytes, MOST_BYTES_OF_A_BODY);
  return (
    <>
      <div class="halves">
        <section aria-labelledby="form-title">
          <h2 id="form-title">From this page</h2>
          <Tabs
            label="What to hand in"
            first={rules.bundle ? 1 : 0}
            tabs={[
              {
                label: "One result",
                panel: <HandoverForm benchmark={benchmark} limit={limit} token={token} onToken={onToken} />,
              },
              {
                label: "A batch or large file",
                panel: (
                  <BatchForm
                    benchmark={benchmark}
                    token={token}
                    onToken={onToken}
                    onUploaded={(upload) => openPage(`${submitPath(benchmark.id)}?upload=${upload}`)}
                  />
                ),
              },
            ]}
          />
        </section>
        <section aria-labelledby="rules-title">
          <h2 id="rules-title">Rules</h2>
          <ul class="rules">
            <li>
              {rules.anonymous
                ? "No account is needed: guests are welcome, and shown as guests."
                : "A token is needed; it names you as a verified player."}
            </li>
            <li>
              A result is JSON, an object or an array, of at most {formatBytes(limit)}
              {rules.bundle && "; as a ZIP it is uploaded"}.
            </li>
            <li>
              With a token you may upload a batch, {formatCount(rules.drop_per_day)} results a day. Larger results go the
              same way.
            </li>
            <li>
              {formatCount(rules.per_day)} results a day for each player, at most {formatCount(rules.invalid_per_day)}{" "}
              of them invalid.
            </li>
            <li>Every result is kept as it came. Its score is made once, and signed with how.</li>
          </ul>
          {sample !== null && (
            <>
              <h3>A sample</h3>
              <Snippet label="Sample result" text={sample.trim()} />
            </>
          )}
        </section>
      </div>
      <section aria-labelledby="program-title">
        <h2 id="program-title">From a program</h2>
        <p>
          One POST, from any machine and from a page of any origin. The answer tells where to look for the score; all
          about it in the <a href="/api/docs">API</a>.
        </p>
        <SnippetTabs
          label="Languages"
          tabs={[
            { label: "curl", text: writeCurl(call) },
            { label: "Python", text: writePython(call) },
            { label: "JavaScript", text: writeJavaScript(call) },
          ]}
        />
      </section>
      {benchmark.description !== "" && (
        <section class="about" aria-labelledby="about-title">
          <h2 id="about-title">What is asked</h2>
          <Prose text={benchmark.description} />
        </section>
      )}
    </>
  );
}
