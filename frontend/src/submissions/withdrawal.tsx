/** A form that withdraws a submission or a batch, and a button that undoes it within an hour. */

import { useState } from "preact/hooks";

import type { Fetched } from "../api/client.ts";
import type { BatchWithdrawalView } from "../api/generated/types.ts";
import { post } from "../api/views.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { Form, FormErrors, readField, ReasonField } from "../ui/forms/fields.tsx";
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

/** A form that withdraws for a reason. */
export function WithdrawForm({ isBatch, ...target }: Props) {
  const { errors, setErrors, busy, progress, change } = useWithdrawal(target);
  const withdraw = (form: HTMLFormElement): unknown => {
    const reason = readField(form, "reason");
    return reason === "" ? setErrors([say("Say why; everybody can read it.")]) : change({ reason });
  };
  return (
    <Form
      action={busy ? say("Withdrawing …") : say("Withdraw")}
      isPlain
      errors={errors}
      disabled={busy}
      beside={progress}
      onSend={withdraw}
    >
      <p>
        <b>{isBatch ? say("Withdraw this batch?") : say("Withdraw this submission?")}</b>{" "}
        {isBatch
          ? say("All its results leave every board, and the reason is shown there. Their scores stay on record.")
          : say("It leaves every board, and the reason is shown there. Its scores stay on record.")}{" "}
        {say("You can undo this within an hour.")}
      </p>
      <ReasonField hint={say("everybody can read it")} />
    </Form>
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
      {progress}
      <FormErrors errors={errors} />
    </div>
  );
}

/**
 * Return what withdraws for a reason or undoes that, and what became of it.
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
  const change = async (wish: object): Promise<void> => {
    const count = await send(sendAll(wish));
    setProgress("");
    if (count === 0) setErrors([say("Nothing is left. What was withdrawn by itself is undone on its own page.")]);
    else if (count !== null) onChange();
  };
  const shown = (
    <span class="fine" role="status">
      {progress}
    </span>
  );
  return { errors, setErrors, busy, progress: shown, change };
}
