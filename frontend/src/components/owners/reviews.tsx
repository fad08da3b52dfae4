/** Submissions that wait for the owner's look, to be accepted or rejected, one or many at a time. */

import { useState } from "preact/hooks";

import { decideReview } from "../../api/owners.ts";
import type { Head, ReviewView } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { formatWithUnit } from "../../lib/format.ts";
import { submissionPath } from "../../lib/board/paths.ts";
import { FormErrors, readErrors } from "../fields.tsx";
import { ShortName } from "../player_name.tsx";
import { RelativeTime } from "../values.tsx";
import type { Act } from "./acts.ts";
import { Awaited, Older, readField, ReasonField } from "./parts.tsx";
import { RawResult } from "./errors.tsx";
import type { Pages } from "./pages.ts";

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly head: Head | null;
  readonly list: Pages<ReviewView>;
  readonly onAct: (act: Act) => void;
}

export function Reviews({ token, benchmark, head, list, onAct }: Props) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const items = list.page?.items ?? [];
  const decide = async (kind: "accept" | "withdraw", { currentTarget }: Event): Promise<void> => {
    const { form } = currentTarget as HTMLButtonElement;
    if (form === null) return;
    const chosen = new FormData(form);
    const reason = readField(chosen, "reason");
    const ticked = chosen.getAll("submission").map(String);
    const submissions = items.length === 1 ? items.map(({ submission }) => submission) : ticked;
    if (submissions.length === 0) return setErrors([say("Choose at least one of them.")]);
    if (kind === "withdraw" && reason === "") return setErrors([say("Say why; everybody can read it.")]);
    const done: string[] = [];
    setErrors([]);
    for (const submission of submissions) {
      const decision = { decision: kind, ...(reason ? { reason } : {}) };
      const fetched = await decideReview(token, benchmark, submission, decision);
      if (fetched.kind === "ok") done.push(submission);
      else setErrors(readErrors(fetched));
    }
    form.reset();
    if (done.length > 0) onAct({ benchmark, at: Date.now(), kind, submissions: done });
    list.retry();
  };
  return (
    <section class="stack" aria-label={say("In review")}>
      <h2>{say("In review")}</h2>
      {list.page === null && <Awaited list={list} />}
      {list.page && items.length === 0 && <p>{say("Nothing waits for your look.")}</p>}
      {items.length > 0 && (
        <form class="submit-form" onSubmit={(event) => event.preventDefault()}>
          <ul class="plain-list work">
            {items.map((item) => (
              <li key={item.submission}>
                <label class="check">
                  {items.length > 1 && <input type="checkbox" name="submission" value={item.submission} />}
                  <ShortName name={item.name} verified={item.verified} />
                </label>
                <p>{describeScores(item, head)}</p>
                <div class="labels">
                  <a class="fine" href={submissionPath(benchmark, item.submission)}>
                    <RelativeTime at={item.submitted_at} />
                  </a>
                  <RawResult token={token} benchmark={benchmark} submission={item.submission} />
                </div>
              </li>
            ))}
          </ul>
          <p class="labels">
            {items.length > 1 && (
              <button type="button" class="button" onClick={chooseAll}>
                {say("Choose all")}
              </button>
            )}
            <Older loadMore={list.loadMore} />
          </p>
          <ReasonField hint={say("needed to reject; everybody can read it")} />
          <FormErrors errors={errors} />
          <p class="labels">
            <button type="button" class="button primary" onClick={(event) => void decide("accept", event)}>
              {say("Accept")}
            </button>
            <button type="button" class="button" onClick={(event) => void decide("withdraw", event)}>
              {say("Reject")}
            </button>
          </p>
        </form>
      )}
    </section>
  );
}

function chooseAll({ currentTarget }: Event): void {
  const boxes = (currentTarget as HTMLButtonElement).form?.querySelectorAll<HTMLInputElement>("[name=submission]");
  for (const box of boxes ?? []) box.checked = true;
}

/** Return the scores in one line: `Coins 12 · Time 8.30 s`. */
const describeScores = ({ scores }: ReviewView, head: Head | null): string =>
  Object.entries(scores)
    .map(([id, value]) => {
      const metric = head?.metrics.find((each) => each.id === id) ?? { label: id, unit: null, decimals: null };
      return `${metric.label} ${formatWithUnit(value, metric)}`;
    })
    .join(" · ");
