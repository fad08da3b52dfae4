/** The links by which others join an owner's benchmark. */

import { useId, useState } from "preact/hooks";

import { fetchInvitations } from "../../api/joining.ts";
import { usePolled } from "../../hooks/polling.ts";
import { say } from "../../languages/say.ts";
import { Field } from "../fields.tsx";
import { Links } from "../joining/links.tsx";
import { Unavailable } from "../states.tsx";

export function InvitationsTab({ token }: { readonly token: string }) {
  const id = useId();
  const [benchmark, setBenchmark] = useState("");
  const choose = (event: Event): void => {
    event.preventDefault();
    setBenchmark(String(new FormData(event.currentTarget as HTMLFormElement).get("benchmark") ?? "").trim());
  };
  return (
    <>
      <form class="submit-form" onSubmit={choose}>
        <Field id={id} label={say("Benchmark")} hint={say("its id, as in the address of its board")}>
          <input id={id} name="benchmark" type="text" required pattern="[a-z0-9\-]+" autocomplete="off" />
        </Field>
        <p>
          <button type="submit" class="button">
            {say("Open")}
          </button>
        </p>
      </form>
      {benchmark !== "" && <OfBenchmark key={benchmark} token={token} benchmark={benchmark} />}
    </>
  );
}

function OfBenchmark({ token, benchmark }: { readonly token: string; readonly benchmark: string }) {
  const [refusal, setRefusal] = useState("");
  const polled = usePolled(
    benchmark,
    async (signal) => {
      const fetched = await fetchInvitations(token, benchmark, signal);
      if (fetched.kind === "rejected") setRefusal(fetched.problem.detail);
      return fetched;
    },
    () => null,
  );
  if (refusal !== "") return <p role="alert">{refusal}</p>;
  if (!polled.value) {
    const missing = say("There is no such benchmark.");
    return <Unavailable phase={polled.phase} retry={polled.retry} missing={missing} children={null} />;
  }
  const links = polled.value.invitations;
  return <Links token={token} benchmark={benchmark} links={links} onChange={polled.retry} />;
}
