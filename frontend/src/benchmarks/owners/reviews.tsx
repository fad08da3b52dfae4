/** Submissions that wait for the owner's look, to be accepted or rejected, one or many at a time. */

import { useState } from "preact/hooks";

import type { Head } from "../../api/generated/types.ts";
import { post, submissionUrl } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import type { Submissions } from "../../submissions/requests.ts";
import { SubmissionTable } from "../../submissions/table.tsx";
import { Button } from "../../ui/controls.tsx";
import { FormErrors, readField, ReasonField } from "../../ui/forms/fields.tsx";
import { readErrors } from "../../ui/forms/request.ts";

/** What was decided last, which can be undone. */
interface Decided {
  readonly kind: "accept" | "withdraw";
  readonly submissions: readonly string[];
}

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly head: Head | null;
  readonly list: Submissions;
}

export function Reviews({ token, benchmark, head, list }: Props) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [decided, setDecided] = useState<Decided | null>(null);
  const count = list.page?.submissions.length ?? 0;
  const decideAll = async ({ kind, submissions }: Decided, wish: object): Promise<void> => {
    const done: string[] = [];
    setErrors([]);
    for (const submission of submissions) {
      const route = kind === "accept" ? "acceptance" : "withdrawal";
      const fetched = await post(`${submissionUrl(benchmark, submission)}/${route}`, token, wish);
      if (fetched.kind === "ok") done.push(submission);
      else setErrors(readErrors(fetched));
    }
    if (done.length > 0) setDecided("undo" in wish ? null : { kind, submissions: done });
    list.retry();
  };
  const send = async (kind: Decided["kind"], form: HTMLFormElement | null): Promise<void> => {
    if (form === null) return;
    const reason = readField(form, "reason");
    const submissions = new FormData(form).getAll("submission").map(String);
    if (submissions.length === 0) return setErrors([say("Choose at least one of them.")]);
    if (kind === "withdraw" && reason === "") return setErrors([say("Say why; everybody can read it.")]);
    await decideAll({ kind, submissions }, reason ? { reason } : {});
    form.reset();
  };
  const undo = ({ kind, submissions }: Decided): Promise<void> =>
    decideAll(
      { kind: "withdraw", submissions },
      kind === "accept" ? { reason: say("Accepted by mistake.") } : { undo: true },
    );
  return (
    <section class="stack" aria-label={say("In review")}>
      <h2>{say("In review")}</h2>
      <form class="submit-form" onSubmit={(event) => event.preventDefault()}>
        <SubmissionTable
          {...{ benchmark, list, metrics: head?.metrics ?? [] }}
          label={say("In review")}
          owner={token}
          isChosen
        />
        {count > 0 && (
          <>
            <ReasonField hint={say("needed to reject; everybody can read it")} />
            <p class="labels">
              <Button primary onClick={({ currentTarget }) => void send("accept", currentTarget.form)}>
                {say("Accept")}
              </Button>
              <Button onClick={({ currentTarget }) => void send("withdraw", currentTarget.form)}>
                {say("Reject")}
              </Button>
              {count > 1 && (
                <Button onClick={({ currentTarget }) => chooseAll(currentTarget.form)}>{say("Choose all")}</Button>
              )}
            </p>
          </>
        )}
        <FormErrors errors={errors} />
        <p class="labels" role="status">
          {decided && (
            <>
              {describe(decided)}
              <Button small onClick={() => void undo(decided)}>
                {decided.kind === "accept" ? say("Undo: withdraw") : say("Undo")}
              </Button>
            </>
          )}
        </p>
      </form>
    </section>
  );
}

function describe({ kind, submissions: { length: count } }: Decided): string {
  return kind === "accept"
    ? say("{count} submission accepted.|{count} submissions accepted.", { count })
    : say("{count} submission rejected.|{count} submissions rejected.", { count });
}

function chooseAll(form: HTMLFormElement | null): void {
  for (const box of form?.querySelectorAll<HTMLInputElement>("[name=submission]") ?? []) box.checked = true;
}
