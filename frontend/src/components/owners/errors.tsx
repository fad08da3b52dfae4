/** Submissions of a benchmark without a score: what was wrong, what the script printed, and the raw result. */

import { useState } from "preact/hooks";

import { fetchErrors, fetchResultLink } from "../../api/owners.ts";
import type { ErrorView } from "../../api/generated/types.ts";
import { usePages } from "./pages.ts";
import { mix, say } from "../../languages/say.ts";
import { formatOutput, MEANINGS } from "../../lib/outcome.ts";
import { submissionPath } from "../../lib/board/paths.ts";
import { playerPath } from "../../lib/route.ts";
import { Button } from "../controls.tsx";
import { OutcomeLabel } from "../facts.tsx";
import { FormErrors, readErrors } from "../fields.tsx";
import { ShortName } from "../player_name.tsx";
import { Awaited, Older } from "./parts.tsx";
import { Snippet } from "../tabs.tsx";
import { RelativeTime } from "../values.tsx";

interface Props {
  readonly token: string;
  readonly benchmark: string;
}

export function Errors({ token, benchmark }: Props) {
  const list = usePages(benchmark, (cursor, signal) => fetchErrors(token, benchmark, cursor, signal));
  return (
    <section class="stack" aria-label={say("Submissions without a score")}>
      <h2>{say("Submissions without a score")}</h2>
      {list.page === null && <Awaited list={list} />}
      {list.page?.items.length === 0 && <p>{say("None.")}</p>}
      <ul class="plain-list work">
        {list.page?.items.map((error) => (
          <li key={`${error.submission} ${error.version}`}>
            <ErrorItem token={token} benchmark={benchmark} error={error} />
          </li>
        ))}
      </ul>
      <Older loadMore={list.loadMore} />
    </section>
  );
}

function ErrorItem({ token, benchmark, error }: Props & { readonly error: ErrorView }) {
  const { message, pointer, output, outcome } = error;
  const printed = output ? formatOutput(message, output.stdout, output.stderr) : "";
  return (
    <>
      <p class="labels">
        <OutcomeLabel {...MEANINGS[outcome]} />
        <a href={playerPath(benchmark, error.player)}>
          <ShortName name={error.name} verified={error.verified} />
        </a>
        <a class="fine" href={submissionPath(benchmark, error.submission)}>
          <RelativeTime at={error.recorded_at} />
        </a>
      </p>
      <p class="reason">
        {message}
        {pointer && <span class="fine"> {mix("at {pointer}", { pointer: <code>{pointer}</code> })}</span>}
      </p>
      {printed !== "" && (
        <details class="help">
          <summary>{say("Output of the evaluation")}</summary>
          <Snippet label={say("Output of the evaluation")} text={printed} />
        </details>
      )}
      <RawResult token={token} benchmark={benchmark} submission={error.submission} />
    </>
  );
}

/** A button that downloads a raw result. The browser never opens it, whatever it is. */
export function RawResult({ token, benchmark, submission }: Props & { readonly submission: string }) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const download = async (): Promise<void> => {
    const fetched = await fetchResultLink(token, benchmark, submission);
    setErrors(readErrors(fetched));
    if (fetched.kind === "ok") location.assign(fetched.value.url);
  };
  return (
    <div>
      <Button small onClick={download}>
        {say("Download the raw result")}
      </Button>
      <FormErrors errors={errors} />
    </div>
  );
}
