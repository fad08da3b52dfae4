/** Submissions that wait for the owner's look, to be accepted or rejected, one or many at a time. */

import { useState } from "preact/hooks";

import { decide } from "../../api/owners.ts";
import type { Head } from "../../api/generated/types.ts";
import type { Submissions } from "../submission/list.ts";
import { say } from "../../languages/say.ts";
import { FormErrors, readErrors } from "../fields.tsx";
import { SubmissionTable } from "../submission/table.tsx";
import type { Act } from "./acts.ts";
import { readField, ReasonField } from "./parts.tsx";

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly head: Head | null;
  readonly list: Submissions;
  readonly onAct: (act: Act) => void;
}

export function Reviews({ token, benchmark, head, list, onAct }: Props) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const count = list.page?.submissions.length ?? 0;
  const send = async (kind: "accept" | "withdraw", { currentTarget }: Event): Promise<void> => {
    const { form } = currentTarget as HTMLButtonElement;
    if (form === null) return;
    const chosen = new FormData(form);
    const reason = readField(chosen, "reason");
    const submissions = chosen.getAll("submission").map(String);
    if (submissions.length === 0) return setErrors([say("Choose at least one of them.")]);
    if (kind === "withdraw" && reason === "") return setErrors([say("Say why; everybody can read it.")]);
    const done: string[] = [];
    setErrors([]);
    for (const submission of submissions) {
      const fetched = await decide(token, benchmark, submission, kind, reason ? { reason } : {});
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
      <form class="submit-form" onSubmit={(event) => event.preventDefault()}>
        <SubmissionTable
          {...{ benchmark, list, metrics: head?.metrics ?? [] }}
          label={say("In review")}
          owner={token}
          isChosen
        />
        {count > 1 && (
          <button type="button" class="button" onClick={chooseAll}>
            {say("Choose all")}
          </button>
        )}
        {count > 0 && (
          <>
            <ReasonField hint={say("needed to reject; everybody can read it")} />
            <FormErrors errors={errors} />
            <p class="labels">
              <button type="button" class="button primary" onClick={(event) => void send("accept", event)}>
                {say("Accept")}
              </button>
              <button type="button" class="button" onClick={(event) => void send("withdraw", event)}>
                {say("Reject")}
              </button>
            </p>
          </>
        )}
      </form>
    </section>
  );
}

function chooseAll({ currentTarget }: Event): void {
  const boxes = (currentTarget as HTMLButtonElement).form?.querySelectorAll<HTMLInputElement>("[name=submission]");
  for (const box of boxes ?? []) box.checked = true;
}
