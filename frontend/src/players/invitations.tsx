/** The links by which others join an owner's benchmark. */

import { fetchHead } from "../api/client.ts";
import { say } from "../languages/say.ts";
import { Awaited } from "../ui/facts.tsx";
import { usePolled } from "../ui/hooks/polling.ts";
import { Links } from "./links.tsx";
import { fetchInvitations } from "./requests.ts";

const MAX_OPEN = 300;

export function Invitations({ token, benchmark }: { readonly token: string; readonly benchmark: string }) {
  const polled = usePolled(benchmark, (signal) => fetchInvitations(token, benchmark, signal));
  const { value: head } = usePolled(`head ${benchmark}`, (signal) => fetchHead(benchmark, signal));
  if (!polled.value) return <Awaited list={polled} />;
  const links = polled.value.invitations;
  const open = links.filter((link) => link.state === "open").length;
  return (
    <>
      <Links token={token} benchmark={benchmark} links={links} rows={head?.rows} onChange={polled.retry} />
      <p class="fine">{say("{count} of {limit} open links", { count: open, limit: MAX_OPEN })}</p>
    </>
  );
}
