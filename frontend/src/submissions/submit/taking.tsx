/** Whether results of the visitor are taken now, if a token or a kept name with its key says who that is. */

import type { BenchmarkView, LateRules, MoreTime } from "../../api/generated/types.ts";
import { get } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { keptKey, keptName } from "../../ui/hooks/storage.ts";
import { formatTime } from "../../ui/lib/format.ts";

// Nothing is asked while the token is being typed: laurel_ and 43 characters.
const TOKEN_LENGTH = 50;

/** Return a benchmark as the visitor sees it, once that is known. */
export function useOwnView(benchmark: BenchmarkView, token: string): BenchmarkView {
  const [player, key] = [keptName.find() ?? "", keptKey.find() ?? ""];
  const isNamed = token === "" ? player !== "" && key !== "" : token.length === TOKEN_LENGTH;
  const url = `/api/benchmarks/${benchmark.id}${token === "" ? `?${new URLSearchParams({ player })}` : ""}`;
  const { value } = usePolled(isNamed ? `${benchmark.id} ${token}` : null, (signal) =>
    get<BenchmarkView>(url, token || key, signal),
  );
  return value ?? benchmark;
}

/** Return whether a benchmark that has closed takes late results now. */
const takesLate = (late: LateRules | null | undefined): boolean =>
  late != null && (late.until == null || Date.now() < Date.parse(late.until));

/** Return how a result would be taken now; null: not at all. */
export function findTaking({ state, submissions, extension }: BenchmarkView): "open" | "late" | null {
  if (state === "open" || (extension && Date.now() < Date.parse(extension.until ?? ""))) return "open";
  return state === "closed" && takesLate(submissions.late) ? "late" : null;
}

export const ExtensionNote = ({ extension: { until, reason } }: { readonly extension: MoreTime }) => (
  <>
    {say("You have more time, until {time}:", { time: formatTime(Date.parse(until ?? "")) })} <bdi>{reason}</bdi>{" "}
  </>
);
