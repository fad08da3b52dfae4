/** The players of a benchmark who are banned, and a form that bans a player or a name. */

import { useId, useState } from "preact/hooks";

import type { BanView, Head } from "../../api/generated/types.ts";
import { fetchBans } from "../../api/views.ts";
import { say } from "../../languages/say.ts";
import { Button, Segments } from "../../ui/controls.tsx";
import { Awaited } from "../../ui/facts.tsx";
import { Form, readField, ReasonField, TextField } from "../../ui/forms/fields.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { guestMark } from "../../ui/lib/guests.ts";
import { isPlayer, playerPath } from "../../ui/lib/route.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { RelativeTime } from "../../ui/values.tsx";
import { ban, liftBan, type Banned } from "../requests.ts";
import type { Act } from "./acts.ts";

const MAX_BANS = 200;
const WHAT: readonly (readonly ["player" | "name", string])[] = [
  ["player", say("a player")],
  ["name", say("guests of a name")],
];

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly head: Head | null;
  /** When the last act was. */
  readonly acts: number;
  readonly onAct: (act: Act) => void;
}

export function Bans({ token, benchmark, head, acts, onAct }: Props) {
  const id = useId();
  const [what, setWhat] = useState<"player" | "name">("player");
  const { errors, setErrors, send } = useRequest();
  const polled = usePolled(`${benchmark} ${acts}`, (signal) => fetchBans(benchmark, signal));
  const change = async (kind: "ban" | "lift", who: Banned, reason: string): Promise<boolean> => {
    const view = await send(kind === "ban" ? ban(token, benchmark, who, reason) : liftBan(token, benchmark, who));
    if (view) onAct({ benchmark, at: Date.now(), kind, who, shown: view.player_name, reason });
    return view !== null;
  };
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const subject = readField(form, "subject");
    if (what === "player" && !isPlayer(subject))
      return setErrors([say("Choose a player of the board, or enter an id.")]);
    const who: Banned = what === "player" ? { player: subject } : { name: subject };
    if (await change("ban", who, readField(form, "reason"))) form.reset();
  };
  const bans = polled.value?.bans;
  return (
    <>
      <Form action={say("Ban")} errors={errors} onSend={submit}>
        <Segments legend={say("Ban")} options={WHAT} value={what} onChange={setWhat} />
        <TextField
          label={what === "player" ? say("Player") : say("Name")}
          hint={
            what === "player" ? say("by the id, as in the address of the player’s page") : say("and what looks like it")
          }
          name="subject"
          list={what === "player" ? id : undefined}
        />
        <datalist id={id}>
          {head?.rows.player.map((player, index) => {
            const name = head.rows.name[index] ?? "";
            return (
              <option key={player} value={player} label={name + guestMark(name, head.rows.verified[index] ?? false)} />
            );
          })}
        </datalist>
        <ReasonField hint={say("everybody can read it")} />
      </Form>
      <h2>{say("Banned")}</h2>
      {bans ? (
        <p class="fine">{say("{count} of {limit} bans", { count: bans.length, limit: MAX_BANS })}</p>
      ) : (
        <Awaited list={polled} />
      )}
      <ul class="plain-list">
        {bans?.map((held) => (
          <li key={held.player ?? held.name}>
            <Held benchmark={benchmark} held={held} />
            <Button small onClick={() => void change("lift", whoOf(held), held.reason)}>
              {say("Lift the ban")}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

const whoOf = ({ player, name }: BanView): Banned => (player === null ? { name: name ?? "" } : { player });

const Held = ({ benchmark, held }: { readonly benchmark: string; readonly held: BanView }) => (
  <span>
    {held.player === null ? (
      <ShortName name={held.name ?? ""} verified={false} />
    ) : (
      <a href={playerPath(benchmark, held.player)}>
        <bdi>{held.player_name}</bdi>
      </a>
    )}{" "}
    <span class="fine">
      <RelativeTime at={held.at} /> · {held.reason}
    </span>
  </span>
);
