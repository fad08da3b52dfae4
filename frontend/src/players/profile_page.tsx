/** `/p/{player}`: a player's rank on every benchmark, and what is one's own to export or erase. */

import { useState } from "preact/hooks";

import type { PlayerBoards } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { CheckField, FormErrors, MAX_SECRET, TextField } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { keptKey, keptName } from "../ui/hooks/storage.ts";
import { Face } from "../ui/icons.tsx";
import { saveFile } from "../ui/lib/download.ts";
import { formatCount, formatRank } from "../ui/lib/format.ts";
import { guestMark } from "../ui/lib/guests.ts";
import { playerPath } from "../ui/lib/route.ts";
import { PlayerTags } from "../ui/player_name.tsx";
import { Notice, Unavailable } from "../ui/states.tsx";
import { numbers, Table } from "../ui/table_head.tsx";
import { eraseOwnData, fetchOwnData, fetchPlayerBoards, type Credential } from "./me.ts";

/** What the id of a guest begins with whose name a player key or a host owns. */
const OWNED = "guest--";

export function PlayerBoardsPage({ player }: { readonly player: string }) {
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
          <Face {...view} size={48} />
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
  <Table
    class="board"
    label={say("Ranks")}
    columns={[say("Benchmark"), numbers(say("Rank")), numbers(say("Submissions"))]}
    rows={view.benchmarks.map(({ benchmark, title, rank, total, submissions }) => [
      <a href={playerPath(benchmark, view.player)}>{title}</a>,
      say("{rank} of {total}", { rank: formatRank(rank, false), total }),
      formatCount(submissions),
    ])}
  />
);

interface FormProps {
  readonly player: string;
  readonly isVerified: boolean;
  readonly onErased: () => void;
}

/** A form that exports or erases the player, with a token or with the player key of a name. */
function OwnDataForm({ player, isVerified, onErased }: FormProps) {
  const [secret, setSecret] = useState(() => (isVerified ? "" : (keptKey.find() ?? "")));
  const [name, setName] = useState(() => keptName.find() ?? "");
  const [isSure, setSure] = useState(false);
  const { errors, setErrors, busy, send } = useRequest();
  const credential: Credential = { secret, name: name.trim(), kind: player.endsWith("-model") ? "model" : "human" };
  const save = async (): Promise<void> => {
    const data = await send(fetchOwnData(credential));
    if (data && data.player !== player) return setErrors([say("This key or token is another player’s.")]);
    if (data) saveFile(`${player}.json`, "application/json", JSON.stringify(data, null, 2));
  };
  const erase = async (): Promise<void> => {
    if (!(await send(eraseOwnData(credential, player)))) return;
    keptKey.keep("");
    keptName.keep("");
    onErased();
  };
  return (
    <details>
      <summary>{say("This is you: export or erase your data")}</summary>
      <form class="submit-form" onSubmit={(event) => event.preventDefault()} noValidate>
        <TextField
          label={say("Player key or token")}
          hint={say("it is sent, and not kept here")}
          type="password"
          maxLength={MAX_SECRET}
          value={secret}
          onText={(text) => setSecret(text.trim())}
        />
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
          <Button onClick={() => void save()}>{say("Download my data")}</Button>
        </p>
        <p>
          {say(
            "Erasing takes your rows off all boards; no page has your name any more, and the name and address of an account are deleted. Nobody can undo it. Raw results and scores stay stored without the name, where only owners can read them. What others have copied, exported or got by mail stays with them.",
          )}
        </p>
        <CheckField checked={isSure} onCheck={setSure}>
          {say("I want to be erased.")}
        </CheckField>
        <FormErrors errors={errors} />
        <Button disabled={!isSure || busy} onClick={() => void erase()}>
          {say("Erase me")}
        </Button>
      </form>
    </details>
  );
}
