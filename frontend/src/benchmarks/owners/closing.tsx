/** Archives a benchmark, brings it back, or deletes one to which nobody has submitted. */

import { useState } from "preact/hooks";

import { fetchBoards } from "../../api/client.ts";
import { post } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { Form, readReason, ReasonField } from "../../ui/forms/fields.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { usePolled } from "../../ui/hooks/polling.ts";

export function Closing({ token, benchmark }: { readonly token: string; readonly benchmark: string }) {
  const { errors, send } = useRequest();
  const [changed, setChanged] = useState<boolean | null>(null);
  const listed = usePolled(benchmark, (signal) => fetchBoards(benchmark, signal));
  const isArchived = changed ?? listed.value?.archived != null;
  const run = async (route: "archive" | "deletion", wish: object, archived: boolean): Promise<boolean> => {
    const isDone = (await send(post(`/api/benchmarks/${benchmark}/${route}`, token, wish))) !== null;
    if (isDone) setChanged(archived);
    return isDone;
  };
  const remove = async (): Promise<void> => {
    if (!confirm(say("Delete {benchmark}? Nobody can undo that.", { benchmark }))) return;
    if (await run("deletion", { confirm: benchmark }, true)) location.assign("/owners");
  };
  return (
    <Form
      action={isArchived ? say("Bring it back") : say("Archive")}
      errors={errors}
      isPlain
      beside={isArchived && <Button onClick={() => void remove()}>{say("Delete for good")}</Button>}
      onSend={(form) => run("archive", isArchived ? { undo: true } : readReason(form), !isArchived)}
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
