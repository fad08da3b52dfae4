/** Submissions without a score, of all benchmarks that the token owns. */

import { useEffect, useState } from "preact/hooks";

import { fetchErrors, type ErrorPage } from "../../api/owners.ts";
import { say } from "../../languages/say.ts";
import { explainProblem } from "../../lib/checks.ts";
import { MEANINGS } from "../../lib/outcome.ts";
import { boardPath, submissionPath } from "../../lib/route.ts";
import { Button } from "../controls.tsx";
import { OutcomeLabel } from "../facts.tsx";
import { FormErrors } from "../fields.tsx";
import { TableHead } from "../table_head.tsx";
import { ScrollArea } from "../tables.tsx";
import { RelativeTime } from "../values.tsx";

export function ErrorsTab({ token }: { readonly token: string }) {
  const [page, setPage] = useState<ErrorPage | null>(null);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const load = async (before: ErrorPage | null, signal: AbortSignal): Promise<void> => {
    const fetched = await fetchErrors(token, before?.next ?? null, signal);
    if (fetched.kind === "ok") {
      setProblems([]);
      setPage({ ...fetched.value, errors: [...(before?.errors ?? []), ...fetched.value.errors] });
    } else
      setProblems(fetched.kind === "rejected" ? explainProblem(fetched.problem) : [say("The site does not answer.")]);
  };
  useEffect(() => {
    const controller = new AbortController();
    load(null, controller.signal).catch(() => undefined);
    return () => controller.abort();
  }, [token]);
  return (
    <>
      <FormErrors errors={problems} />
      <p class="unseen" role="status">
        {page
          ? say("{count} submission without a score|{count} submissions without a score", { count: page.errors.length })
          : say("Loading …")}
      </p>
      {page && page.errors.length === 0 && <p>{say("No result of your benchmarks is without a score.")}</p>}
      {page && page.errors.length > 0 && (
        <ScrollArea class="board" label={say("Submissions without a score")}>
          <table>
            <TableHead labels={[say("When"), say("Benchmark"), say("Outcome"), say("Player"), say("Reason")]} />
            <tbody>
              {page.errors.map((error) => (
                <tr key={`${error.submission} ${error.version}`}>
                  <td>
                    <a href={submissionPath(error.benchmark, error.submission)}>
                      <RelativeTime at={error.recorded_at} />
                    </a>
                  </td>
                  <td>
                    <a href={boardPath(error.benchmark)}>{error.benchmark}</a>
                  </td>
                  <td>
                    <OutcomeLabel {...MEANINGS[error.outcome]} />
                  </td>
                  <td>
                    <bdi>{error.name}</bdi>
                  </td>
                  <td>{error.message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
      {page && page.next.size > 0 && (
        <Button onClick={() => void load(page, new AbortController().signal)}>{say("Show older ones")}</Button>
      )}
    </>
  );
}
