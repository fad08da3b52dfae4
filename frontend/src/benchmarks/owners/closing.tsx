/** Archives a benchmark, brings it back, or deletes one to which nobody has submitted. */

import { useState } from "preact/hooks";

import { fetchBoards, type Fetched } from "../../api/client.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { Form, readField, ReasonField } from "../../ui/forms/fields.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { archive, deleteBenchmark } from "../requests.ts";

export function Closing({ token, benchmark }: { readonly token: string; readonly benchmark: string }) {
  const { errors, send } = useRequest();
  const [changed, setChanged] = useState<boolean | null>(null);
  const listed = usePolled(benchmark, (signal) => fetchBoards(benchmark, signal));
  const isArchived = changed ?? listed.value?.archived != null;
  const run = async (request: Promise<Fetched<object>>, archived: boolean): Promise<boolean> => {
    const isDone = (await send(request)) !== null;
    if (isDone) setChanged(archived);
    return isDone;
  };
  const remove = async (): Promise<void> => {
    if (!confirm(say("Delete {benchmark}? Nobody can undo that.", { benchmark }))) return;
    if (await run(deleteBenchmark(token, benchmark), true)) location.assign("/owners");
  };
  const toggle = (reason: string | null): Promise<boolean> => run(archive(token, benchmark, reason), !isArchived);
  return (
    <Form
      action={isArchived ? say("Bring it back") : say("Archive")}
      errors={errors}
      isPlain
      beside={isArchived && <Button onClick={() => void remove()}>{say("Delete for good")}</Button>}
      onSend={(form) => toggle(isArchived ? null : readField(form, "reason"))}
    >
      <h2>{say("Archive")}</h2>
      <p class="fine">
        {say(
          "An archived benchmark is in no list and takes no results. Two minutes later it can be deleted, if nobody has submitted.",
        )}
      </p>
      {!isArchived && <ReasonField hint={say("everybody can read it")} />}
    </Form>
  );
}
