/** `/p/{player}`: a player's rank on every benchmark, and what is one's own to export or erase. */

import { useState } from "preact/hooks";

import type { PlayerBoards } from "../api/generated/types.ts";
import { eraseOwnData, fetchOwnData, fetchPlayerBoards, type Credential } from "../api/me.ts";
import { Button } from "../components/controls.tsx";
import { CheckField, Field, FormErrors, readErrors, TextField } from "../components/fields.tsx";
import { PlayerTags } from "../components/player_name.tsx";
import { Notice, Unavailable } from "../components/states.tsx";
import { ScrollArea } from "../components/tables.tsx";
import { useTitle } from "../hooks/browser.ts";
import { usePolled } from "../hooks/polling.ts";
import { playerKeys, playerNames } from "../hooks/receipts.ts";
import { say } from "../languages/say.ts";
import { saveFile } from "../lib/download.ts";
import { formatCount, formatRank } from "../lib/format.ts";
import { guestMark } from "../lib/board/guests.ts";
import { playerPath } from "../lib/route.ts";

/** What the id of a guest begins with whose name a player key or a host owns. */
const OWNED = "guest--";

interface Props {
  readonly player: string;
}

export function PlayerBoardsPage({ player }: Props) {
  const polled = usePolled(player, (signal) => fetchPlayerBoards(player, signal));
  const [erased, setErased] = useState(false);
  const view = polled.value;
  useTitle(view ? `${view.name}${guestMark(view.name, view.verified)}` : "");
  if (erased) {
    return (
      <Notice title={say("You are erased")}>
        <p>{say("Your rows leave the boards within seconds. This browser has forgotten your player key and name.")}</p>
        <Button href="/">{say("All boards")}</Button>
      </Notice>
    );
  }
  if (!view) return <Unavailable {...polled} missing={say("No board shows this player.")} />;
  return (
    <>
      <header>
        <h1>
          <bdi>{view.name}</bdi>
        </h1>
        <p>
          <PlayerTags {...view} />
        </p>
      </header>
      <section aria-label={say("Ranks")}>
        <Boards view={view} />
      </section>
      {(view.verified || player.startsWith(OWNED)) && (
        <section aria-label={say("Your data")}>
          <OwnDataForm player={player} isVerified={view.verified} onErased={() => setErased(true)} />
        </section>
      )}
    </>
  );
}

const Boards = ({ view }: { readonly view: PlayerBoards }) => (
  <ScrollArea class="board" label={say("Ranks")}>
    <table>
      <thead>
        <tr>
          <th scope="col">{say("Benchmark")}</th>
          <th scope="col" class="number">
            {say("Rank")}
          </th>
          <th scope="col" class="number">
            {say("Submissions")}
          </th>
        </tr>
      </thead>
      <tbody>
        {view.benchmarks.map(({ benchmark, title, rank, total, submissions }) => (
          <tr key={benchmark}>
            <th scope="row">
              <a href={playerPath(benchmark, view.player)}>{title}</a>
            </th>
            <td class="number">{say("{rank} of {total}", { rank: formatRank(rank, false), total })}</td>
            <td class="number">{formatCount(submissions)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
);

interface FormProps {
  readonly player: string;
  readonly isVerified: boolean;
  readonly onErased: () => void;
}

/** A form that exports or erases the player, with a token or with the player key of a name. */
function OwnDataForm({ player, isVerified, onErased }: FormProps) {
  const [secret, setSecret] = useState(() => (isVerified ? "" : (playerKeys.find() ?? "")));
  const [name, setName] = useState(() => playerNames.find());
  const [isSure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const credential: Credential = { secret, name: name.trim(), kind: player.endsWith("-model") ? "model" : "human" };
  const act = async (run: () => Promise<readonly string[]>): Promise<void> => {
    setBusy(true);
    setErrors(await run());
    setBusy(false);
  };
  const save = async (): Promise<readonly string[]> => {
    const fetched = await fetchOwnData(credential);
    if (fetched.kind !== "ok") return readErrors(fetched);
    if (fetched.value.player !== player) return [say("This key or token is another player’s.")];
    saveFile(`${player}.json`, "application/json", JSON.stringify(fetched.value, null, 2));
    return [];
  };
  const erase = async (): Promise<readonly string[]> => {
    const fetched = await eraseOwnData(credential, player);
    if (fetched.kind !== "ok") return readErrors(fetched);
    playerKeys.drop();
    playerNames.keep("");
    onErased();
    return [];
  };
  return (
    <details>
      <summary>{say("This is you: export or erase your data")}</summary>
      <form class="submit-form" onSubmit={(event) => event.preventDefault()} noValidate>
        <Field id="own-secret" label={say("Player key or token")} hint={say("it is sent, and not kept here")}>
          <input
            id="own-secret"
            type="password"
            autocomplete="off"
            value={secret}
            onInput={(event) => setSecret(event.currentTarget.value.trim())}
          />
        </Field>
        {!isVerified && (
          <TextField
            label={say("Name")}
            hint={say("as you gave it when you played")}
            autocomplete="nickname"
            value={name}
            onText={setName}
          />
        )}
        <p>
          <Button onClick={() => void act(save)}>{say("Download my data")}</Button>
        </p>
        <p>
          {say(
            "Erasing takes your rows off all boards; no page has your name any more, and the name and address of an account are deleted. Nobody can undo it. Raw results and scores stay stored without the name, where only owners can read them. What others have copied, exported or got by mail stays with them.",
          )}
        </p>
        <CheckField checked={isSure} onCheck={setSure}>
          {say("I want to be erased.")}
        </CheckField>
        <FormErrors id="own-errors" errors={errors} />
        <button type="button" class="button" disabled={!isSure || busy} onClick={() => void act(erase)}>
          {say("Erase me")}
        </button>
      </form>
    </details>
  );
}
