/** Archives a benchmark, brings it back, or deletes one to which nobody has submitted. */

import { useState } from "preact/hooks";

import type { Fetched } from "../../api/client.ts";
import { fetchBoards } from "../../api/client.ts";
import { archive, deleteBenchmark, undoArchive } from "../../api/owners.ts";
import { usePolled } from "../../hooks/polling.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../controls.tsx";
import { FormErrors, readErrors } from "../fields.tsx";
import { readField, ReasonField } from "./parts.tsx";

export function Closing({ token, benchmark }: { readonly token: string; readonly benchmark: string }) {
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [changed, setChanged] = useState<boolean | null>(null);
  const listed = usePolled(benchmark, (signal) => fetchBoards(benchmark, signal));
  const isArchived = changed ?? listed.value?.archived != null;
  const run = async (request: Promise<Fetched<unknown>>, archived: boolean): Promise<boolean> => {
    const fetched = await request;
    setErrors(readErrors(fetched));
    if (fetched.kind === "ok") setChanged(archived);
    return fetched.kind === "ok";
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const reason = readField(new FormData(event.currentTarget as HTMLFormElement), "reason");
    await run(archive(token, benchmark, reason), true);
  };
  const remove = async (): Promise<void> => {
    if (!confirm(say("Delete {benchmark}? Nobody can undo that.", { benchmark }))) return;
    if (await run(deleteBenchmark(token, benchmark), true)) location.assign("/owners");
  };
  return (
    <form class="submit-form" onSubmit={send} noValidate>
      <h2>{say("Archive")}</h2>
      <p class="fine">
        {say(
          "An archived benchmark is in no list and takes no results. Two minutes later it can be deleted, if nobody has submitted.",
        )}
      </p>
      {!isArchived && <ReasonField hint={say("everybody can read it")} />}
      <FormErrors errors={errors} />
      <p class="labels">
        {isArchived ? (
          <>
            <Button onClick={() => void run(undoArchive(token, benchmark), false)}>{say("Bring it back")}</Button>
            <Button onClick={() => void remove()}>{say("Delete for good")}</Button>
          </>
        ) : (
          <button type="submit" class="button">
            {say("Archive")}
          </button>
        )}
      </p>
    </form>
  );
}
