/** Who takes part, what they submitted as files, and a link to a new token for a player whose token is lost. */

import { useState } from "preact/hooks";

import type { Download, Head } from "../../api/generated/types.ts";
import { fetchInvitations, makeInvitation, post } from "../../api/views.ts";
import { rowAt } from "../../boards/rows/row.ts";
import { say } from "../../languages/say.ts";
import { saveGrades, saveSubmissions } from "../../submissions/requests.ts";
import { Button } from "../../ui/controls.tsx";
import { FormErrors } from "../../ui/forms/fields.tsx";
import { ShortName } from "../../ui/player_name.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { playerPath } from "../../ui/lib/route.ts";
import { Secret } from "../../ui/tabs.tsx";
import { Bans, type Person } from "./bans.tsx";

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly head: Head | null;
}

/** Who takes part, and what an owner does about them. */
export function People(props: Props) {
  const { token, benchmark, head } = props;
  const invited = usePolled(`people ${benchmark}`, (signal) => fetchInvitations(token, benchmark, signal));
  const rows: readonly Person[] = head?.rows.player.map((_, index) => rowAt(head.rows, index)) ?? [];
  const names = Object.entries(invited.value?.names ?? {});
  const came: readonly Person[] = names.map(([player, name]) => ({ player, name, verified: true }));
  const people = [...new Map([...rows, ...came].map((each) => [each.player, each])).values()];
  return (
    <>
      <Players {...props} people={people} />
      <Bans {...props} people={people} />
    </>
  );
}

function Players({ token, benchmark, head, people }: Props & { readonly people: readonly Person[] }) {
  const [link, setLink] = useState({ player: "", address: "" });
  const { errors, send } = useRequest();
  const [next, setNext] = useState<string | null>(null);
  const replace = async (player: string): Promise<void> => {
    const made = await send(makeInvitation(token, benchmark, { player }));
    if (made) setLink({ player, address: location.origin + made.path });
  };
  const download = async (cursor: string | null): Promise<void> => {
    const written = await send(post<Download>(`/api/benchmarks/${benchmark}/downloads`, token, { cursor }));
    if (!written) return;
    location.assign(written.url);
    setNext(written.next);
  };
  return (
    <section class="stack" aria-label={say("Who takes part")}>
      <h2>{say("Who takes part")}</h2>
      <p class="labels">
        <Button small onClick={() => void send(saveSubmissions(benchmark, {}, token))}>
          {say("All submissions as CSV")}
        </Button>
        <Button small onClick={() => void send(saveGrades(benchmark, token))}>
          {say("Grades as CSV")}
        </Button>
        <Button small onClick={() => void download(null)}>
          {say("With the raw results, as ZIP")}
        </Button>
        {next && (
          <Button small primary onClick={() => void download(next)}>
            {say("The next file")}
          </Button>
        )}
      </p>
      <FormErrors errors={errors} />
      <ul class="plain-list">
        {people.map(({ player, name, verified }) => (
          <li key={player}>
            <a href={playerPath(benchmark, player)}>
              <ShortName name={name} verified={verified} />
            </a>
            {verified && (
              <Button small onClick={() => void replace(player)}>
                {say("Replace a lost token")}
              </Button>
            )}
            {link.player === player && <Secret label={say("the link")} text={link.address} role="status" />}
          </li>
        ))}
      </ul>
      {head && head.rows.player.length < head.total && (
        <p class="fine">
          {say("The first {shown} of {total} rows. All of them, as CSV: {url}", {
            shown: head.rows.player.length,
            total: head.total,
            url: `${location.origin}/api/benchmarks/${benchmark}/rows.csv`,
          })}
        </p>
      )}
    </section>
  );
}
