/** Who takes part, what they submitted as files, and a link to a new token for a player whose token is lost. */

import { useState } from "preact/hooks";

import type { Head } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { makeInvitation } from "../../players/requests.ts";
import { saveGrades, saveSubmissions } from "../../submissions/requests.ts";
import { Button } from "../../ui/controls.tsx";
import { FormErrors } from "../../ui/forms/fields.tsx";
import { ShortName } from "../../ui/player_name.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { playerPath } from "../../ui/lib/route.ts";
import { Secret } from "../../ui/tabs.tsx";
import { writeDownload } from "../requests.ts";

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly head: Head | null;
}

export function Players({ token, benchmark, head }: Props) {
  const [link, setLink] = useState({ player: "", address: "" });
  const { errors, send } = useRequest();
  const [next, setNext] = useState<string | null>(null);
  const replace = async (player: string): Promise<void> => {
    const made = await send(makeInvitation(token, benchmark, { player }));
    if (made) setLink({ player, address: location.origin + made.path });
  };
  const download = async (cursor: string | null): Promise<void> => {
    const written = await send(writeDownload(token, benchmark, cursor));
    if (!written) return;
    location.assign(written.url);
    setNext(written.next);
  };
  const { rows, total } = head ?? { rows: null, total: 0 };
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
        {rows?.player.map((player, index) => (
          <li key={rows.submission[index]}>
            <a href={playerPath(benchmark, player)}>
              <ShortName name={rows.name[index] ?? ""} verified={rows.verified[index] ?? false} />
            </a>
            {rows.verified[index] && (
              <Button small onClick={() => void replace(player)}>
                {say("Replace a lost token")}
              </Button>
            )}
            {link.player === player && <Secret label={say("the link")} text={link.address} role="status" />}
          </li>
        ))}
      </ul>
      {rows && rows.player.length < total && (
        <p class="fine">
          {say("The first {shown} of {total} rows. All of them, as CSV: {url}", {
            shown: rows.player.length,
            total,
            url: `${location.origin}/api/benchmarks/${benchmark}/rows.csv`,
          })}
        </p>
      )}
    </section>
  );
}
