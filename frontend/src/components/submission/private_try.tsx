/** What a private try is, above its page, and the button that makes it public for good. */

import { useState } from "preact/hooks";

import { revealSubmission } from "../../api/submissions.ts";
import type { SubmissionView } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../controls.tsx";
import { FormErrors, readErrors } from "../fields.tsx";

interface Props {
  readonly value: SubmissionView;
  /** The address of the submission in the API, and a token or receipt; null: the visitor may not reveal it. */
  readonly target: { readonly url: string; readonly credential: string } | null;
  /** Called when it is revealed. */
  readonly onChange: () => void;
}

export function PrivateTry({ value, target, onChange }: Props) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const reveal = async (url: string, credential: string): Promise<void> => {
    setBusy(true);
    const fetched = await revealSubmission(url, credential);
    setBusy(false);
    setErrors(readErrors(fetched));
    if (fetched.kind === "ok") onChange();
  };
  return (
    <div class="banner">
      <p>
        <strong>{say("A private try.")}</strong> {say("It is on no board: only you and the organisers see it.")}{" "}
        {value.would_rank != null && say("It would be rank {rank}.", { rank: value.would_rank })}
      </p>
      {target && value.outcome === "scored" && (
        <p>
          <Button small disabled={busy} onClick={() => void reveal(target.url, target.credential)}>
            {say("Make it public")}
          </Button>{" "}
          <span class="fine">{say("For good: it then counts from when you handed it in.")}</span>
        </p>
      )}
      <FormErrors errors={errors} />
    </div>
  );
}
