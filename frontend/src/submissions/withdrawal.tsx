/** Buttons that withdraw a submission or a batch after a question, and undo it within an hour. */

import { useId, useRef, useState } from "preact/hooks";

import type { Fetched } from "../api/client.ts";
import type { BatchWithdrawalView } from "../api/generated/types.ts";
import { post } from "../api/views.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { FormErrors, readField, ReasonField } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";

interface Props {
  /** The address of the withdrawal in the API. */
  readonly url: string;
  /** A token or a receipt. */
  readonly credential: string;
  /** Whether a whole batch is withdrawn, and not a submission. */
  readonly isBatch?: boolean;
  /** Called when something has changed. */
  readonly onChange: () => void;
}

/** A button that asks whether to withdraw, and why. */
export function WithdrawButton({ isBatch, ...target }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { errors, busy, progress, change } = useWithdrawal(target);
  const id = useId();
  const withdraw = async (event: Event): Promise<void> => {
    event.preventDefault();
    const reason = readField(event.currentTarget as HTMLFormElement, "reason");
    if (!busy && (await change({ reason }))) dialog.current?.close();
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
            <Button submit primary disabled={busy}>
              {busy ? say("Withdrawing …") : say("Withdraw")}
            </Button>
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
export function UndoButton({ isBatch, ...target }: Props) {
  const { errors, busy, progress, change } = useWithdrawal(target);
  return (
    <div>
      <Button small disabled={busy} onClick={() => void change({ undo: true })}>
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
 * Return what withdraws for a reason or undoes that, and returns whether something has changed; and what became of it.
 *
 * It sends requests until all of a batch has changed, one for a submission. A repeat goes on where another has stopped.
 */
function useWithdrawal({ url, credential, onChange }: Props) {
  const { errors, setErrors, busy, send } = useRequest();
  const [progress, setProgress] = useState("");
  const sendAll = async (wish: object): Promise<Fetched<number>> => {
    for (let count = 0; ; setProgress(say("{count} submission so far|{count} submissions so far", { count }))) {
      const fetched = await post<Partial<BatchWithdrawalView>>(url, credential, wish);
      if (fetched.kind !== "ok") return fetched;
      const { changed = 1, left = 0 } = fetched.value;
      count += changed;
      if (left === 0 || changed === 0) return { kind: "ok", value: count };
    }
  };
  const change = async (wish: object): Promise<boolean> => {
    const count = await send(sendAll(wish));
    setProgress("");
    if (count === 0) setErrors([say("Nothing is left. What was withdrawn by itself is undone on its own page.")]);
    else if (count !== null) onChange();
    return !!count;
  };
  return { errors, busy, progress, change };
}
