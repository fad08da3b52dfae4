/** Buttons that withdraw a submission or a batch after a question, and undo it within an hour. */

import { useId, useRef, useState } from "preact/hooks";

import { changeWithdrawal, type WithdrawalRequest } from "../../api/withdrawals.ts";
import { explainProblem } from "../../lib/checks.ts";
import { formatPlural } from "../../lib/format.ts";
import { Button } from "../controls.tsx";
import { Field, FormErrors } from "../fields.tsx";

const MAX_REASON_LENGTH = 300;
const UNREACHABLE = "The server did not answer. Try again: what is done already stays done.";

type Target = Omit<WithdrawalRequest, "reason">;

interface Props extends Target {
  readonly noun: "submission" | "batch";
  /** Called when something has changed. */
  readonly onChange: () => void;
}

/** A button that asks whether to withdraw, and why. */
export function WithdrawButton({ noun, onChange, ...target }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  const { errors, busy, progress, send } = useRequest(target);
  const id = useId();
  const withdraw = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!(await send(reason.trim()))) return;
    dialog.current?.close();
    onChange();
  };
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()}>Withdraw the {noun} …</Button>
      <dialog ref={dialog} aria-labelledby={`${id}-title`}>
        <form class="submit-form" onSubmit={withdraw}>
          <h2 id={`${id}-title`}>Withdraw this {noun}?</h2>
          <p>
            {noun === "batch" ? "All its results leave" : "It leaves"} every board, and the reason is shown there.{" "}
            {noun === "batch" ? "Their" : "Its"} scores stay on record. You can undo this within an hour.
          </p>
          <Field id={id} label="Reason" hint="everybody can read it">
            <input
              id={id}
              type="text"
              value={reason}
              maxLength={MAX_REASON_LENGTH}
              autocomplete="off"
              required
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </Field>
          <FormErrors errors={errors} />
          <p class="labels">
            <button type="submit" class="button primary" disabled={busy}>
              {busy ? "Withdrawing …" : "Withdraw"}
            </button>
            <Button onClick={() => dialog.current?.close()}>Keep it</Button>
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
export function UndoButton({ noun, onChange, ...target }: Props) {
  const { errors, busy, progress, send } = useRequest(target);
  const undo = async (): Promise<void> => {
    if (await send(null)) onChange();
  };
  return (
    <div>
      <Button small disabled={busy} onClick={() => void undo()}>
        Undo the withdrawal{noun === "batch" && " of the batch"}
      </Button>{" "}
      <span class="fine" role="status">
        {progress}
      </span>
      <FormErrors errors={errors} />
    </div>
  );
}

/** Return what sends a withdrawal, or without a reason undoes it, and what became of that. */
function useRequest(target: Target) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState("");
  const send = async (reason: string | null): Promise<boolean> => {
    if (busy) return false;
    setErrors([]);
    setBusy(true);
    const show = (count: number): void => setProgress(`${formatPlural(count, "submission")} so far`);
    const fetched = await changeWithdrawal({ ...target, reason }, show);
    setBusy(false);
    setProgress("");
    if (fetched.kind === "ok" && fetched.value > 0) return true;
    setErrors(fetched.kind === "rejected" ? explainProblem(fetched.problem) : [explain(fetched.kind)]);
    return false;
  };
  return { errors, busy, progress, send };
}

function explain(kind: string): string {
  if (kind === "missing") return "There is no such submission or batch for this token or receipt.";
  return kind === "ok" ? "Nothing is left. What was withdrawn by itself is undone on its own page." : UNREACHABLE;
}
