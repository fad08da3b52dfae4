/** Buttons that withdraw a submission or a batch after a question, and undo it within an hour. */

import { useId, useRef, useState } from "preact/hooks";

import type { Fetched } from "../api/client.ts";
import type { BatchWithdrawalView } from "../api/generated/types.ts";
import { post } from "../api/views.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { FormErrors, readField, ReasonField } from "../ui/forms/fields.tsx";
import { explainProblem } from "../ui/lib/checks.ts";

const UNREACHABLE = say("The server did not answer. Try again: what is done already stays done.");

interface Target {
  /** The address of the withdrawal in the API. */
  readonly url: string;
  /** A token or a receipt. */
  readonly credential: string;
}

interface Props extends Target {
  /** Whether a whole batch is withdrawn, and not a submission. */
  readonly isBatch?: boolean;
  /** Called when something has changed. */
  readonly onChange: () => void;
}

/** A button that asks whether to withdraw, and why. */
export function WithdrawButton({ isBatch, onChange, ...target }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { errors, busy, progress, send } = useRequest(target);
  const id = useId();
  const withdraw = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!(await send(readField(event.currentTarget as HTMLFormElement, "reason")))) return;
    dialog.current?.close();
    onChange();
  };
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()}>
        {isBatch ? say("Withdraw the batch …") : say("Withdraw the submission …")}
      </Button>
      <dialog ref={dialog} aria-labelledby={`${id}-title`}>
        <form class="submit-form" onSubmit={withdraw}>
          <h2 id={`${id}-title`}>{isBatch ? say("Withdraw this batch?") : say("Withdraw this submission?")}</h2>
          <p>
            {isBatch
              ? say("All its results leave every board, and the reason is shown there. Their scores stay on record.")
              : say("It leaves every board, and the reason is shown there. Its scores stay on record.")}{" "}
            {say("You can undo this within an hour.")}
          </p>
          <ReasonField hint={say("everybody can read it")} required />
          <FormErrors errors={errors} />
          <p class="labels">
            <button type="submit" class="button primary" disabled={busy}>
              {busy ? say("Withdrawing …") : say("Withdraw")}
            </button>
            <Button onClick={() => dialog.current?.close()}>{say("Keep it")}</Button>
            <span class="fine" role="status">
              {progress}
            </span>
          </p>
        </form>
      </dialog>
    </>
  );
}

/** A button that undoes a withdrawal. */
export function UndoButton({ isBatch, onChange, ...target }: Props) {
  const { errors, busy, progress, send } = useRequest(target);
  const undo = async (): Promise<void> => {
    if (await send(null)) onChange();
  };
  return (
    <div>
      <Button small disabled={busy} onClick={undo}>
        {isBatch ? say("Undo the withdrawal of the batch") : say("Undo the withdrawal")}
      </Button>{" "}
      <span class="fine" role="status">
        {progress}
      </span>
      <FormErrors errors={errors} />
    </div>
  );
}

/**
 * Return what sends a withdrawal, or without a reason undoes it, and what became of that.
 *
 * It sends requests until all of a batch has changed, one for a submission. A repeat goes on where another has stopped.
 */
function useRequest({ url, credential }: Target) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState("");
  const change = async (wish: object): Promise<Fetched<number>> => {
    for (let count = 0; ; setProgress(say("{count} submission so far|{count} submissions so far", { count }))) {
      const fetched = await post<Partial<BatchWithdrawalView>>(url, credential, wish);
      if (fetched.kind !== "ok") return fetched;
      const { changed = 1, left = 0 } = fetched.value;
      count += changed;
      if (left === 0 || changed === 0) return { kind: "ok", value: count };
    }
  };
  const send = async (reason: string | null): Promise<boolean> => {
    if (busy) return false;
    setErrors([]);
    setBusy(true);
    const fetched = await change(reason === null ? { undo: true } : { reason });
    setBusy(false);
    setProgress("");
    if (fetched.kind === "ok" && fetched.value > 0) return true;
    setErrors(fetched.kind === "rejected" ? explainProblem(fetched.problem) : [explain(fetched.kind)]);
    return false;
  };
  return { errors, busy, progress, send };
}

function explain(kind: string): string {
  if (kind === "missing") return say("There is no such submission or batch for this token or receipt.");
  return kind === "ok" ? say("Nothing is left. What was withdrawn by itself is undone on its own page.") : UNREACHABLE;
}
