/** The owner's machines that score a benchmark, and what waits for them. */

import type { RunnerList } from "../../api/generated/types.ts";
import { get } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { Snippet } from "../../ui/tabs.tsx";
import { TimeAgo } from "../../ui/values.tsx";

const SECONDS = 15;

/** A list of the runners of a benchmark that says `runs_on: own`; of any other, nothing. */
export function Runners({ token, benchmark }: { readonly token: string; readonly benchmark: string }) {
  const { value } = usePolled(
    benchmark,
    (signal) => get<RunnerList>(`/api/benchmarks/${benchmark}/work`, token, signal),
    () => SECONDS,
  );
  if (!value?.own) return null;
  return (
    <section class="stack" aria-label={say("Your machines")}>
      <h2>{say("Your machines")}</h2>
      <p>
        {say("A result waits for one of your machines.|{count} results wait for one of your machines.", {
          count: value.waits,
        })}{" "}
        {value.oldest_at && <TimeAgo at={value.oldest_at} />}
      </p>
      <ul class="fine">
        {value.runners.map(({ runner, sandbox, version, seen_at, submission }) => (
          <li key={runner}>
            <bdi>{runner}</bdi> · {version} · {sandbox} · <TimeAgo at={seen_at} />
            {submission && ` · ${submission}`}
          </li>
        ))}
      </ul>
      <Snippet label={say("Your machines")} text={`laurel work ${benchmark}`} />
    </section>
  );
}
