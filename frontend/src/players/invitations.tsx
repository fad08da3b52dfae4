/** The links by which others join an owner's benchmark. */

import { say } from "../languages/say.ts";
import { Awaited } from "../ui/facts.tsx";
import { usePolled } from "../ui/hooks/polling.ts";
import { Links } from "./links.tsx";
import { fetchInvitations } from "./requests.ts";

const MAX_OPEN = 300;

export function Invitations({ token, benchmark }: { readonly token: string; readonly benchmark: string }) {
  const polled = usePolled(benchmark, (signal) => fetchInvitations(token, benchmark, signal));
  if (!polled.value) return <Awaited list={polled} />;
  const { invitations: links, names } = polled.value;
  const open = links.filter((link) => link.state === "open").length;
  return (
    <>
      <Links {...{ token, benchmark, links, names }} onChange={polled.retry} />
      <p class="fine">{say("{count} of {limit} open links", { count: open, limit: MAX_OPEN })}</p>
    </>
  );
}
