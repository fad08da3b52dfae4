/** Whose result it is: what the site knows of the name, the player key and the token. */

import { useState } from "preact/hooks";

import { fetchJson } from "../../api/client.ts";
import type { RowsView } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { MAX_SECRET, TextField } from "../../ui/forms/fields.tsx";
import { usePolled } from "../../ui/hooks/polling.ts";
import { keptKey, keptName, playerOf } from "../../ui/hooks/storage.ts";
import { fold } from "../../ui/lib/fold.ts";
import { Secret } from "../../ui/tabs.tsx";
import { fetchLeft } from "../requests.ts";

interface NameProps {
  readonly benchmark: string;
  /** The name as it was typed; "" asks nothing. */
  readonly name: string;
}

/** That others on the board have the name that a guest gives: they are told apart by a number. */
export function SameName({ benchmark, name }: NameProps) {
  const query = new URLSearchParams({ q: name });
  const { value } = usePolled(name && `${benchmark} ${name}`, (signal) =>
    fetchJson<RowsView>(`/api/benchmarks/${benchmark}/rows?${query}`, { signal }),
  );
  const wanted = fold(name);
  const own = playerOf(benchmark).find();
  const others = (value?.rows ?? []).filter(
    (row) => row.player !== own && `${fold(row.name)} ·`.startsWith(`${wanted} ·`),
  );
  return name === "" || others.length === 0 ? null : (
    <p class="fine" role="status">
      {say(
        "Another player on this board has this name: a number behind yours tells you apart.|{count} other players on this board have this name: a number behind yours tells you apart.",
        { count: others.length },
      )}
    </p>
  );
}

// Nothing is asked while the token is being typed: laurel_ and 43 characters.
const TOKEN_LENGTH = 50;

/** How many results the visitor may still hand in, if a token or a kept name with its player key says who that is. */
export function TriesLeft({ benchmark, token }: { readonly benchmark: string; readonly token: string }) {
  const [player, key] = [keptName.find() ?? "", keptKey.find() ?? ""];
  const isNamed = token === "" ? player !== "" && key !== "" : token.length === TOKEN_LENGTH;
  const { value: left } = usePolled(isNamed ? `${benchmark} ${token}` : null, async (signal) => {
    const fetched = await fetchLeft(benchmark, token, player, key, signal);
    return { kind: "ok", value: fetched.kind === "ok" ? fetched.value.quota_left : null };
  });
  return (
    <p class="fine" role="status">
      {left !== null &&
        say("You can hand in {count} more result now|You can hand in {count} more results now", { count: left })}
    </p>
  );
}

interface KeyProps {
  readonly value: string;
  readonly onValue: (key: string) => void;
}

const HELD = say("The name is yours: this browser has your player key.");
const MADE = say("This key makes the name yours, and nobody else can add to your row.");

/** The player key of a guest: shown once when the page has made it, then only replaced by one from elsewhere. */
export function PlayerKeyField({ value, onValue }: KeyProps) {
  // As it was when the form was opened: a key that was made here is shown until the form is left.
  const [made] = useState(() => (keptKey.find() === null ? value : null));
  const [isEntered, setEntered] = useState(false);
  if (isEntered) {
    return (
      <TextField
        label={say("Player key")}
        hint={say("the one that you copied before")}
        maxLength={MAX_SECRET}
        spellcheck={false}
        placeholder="player_…"
        value={value}
        onText={(text) => onValue(text.trim())}
      />
    );
  }
  const enter = (
    <button type="button" class="link" onClick={() => (onValue(""), setEntered(true))}>
      {say("Use another key")}
    </button>
  );
  return made === null ? (
    <p class="fine">
      {HELD} {enter}
    </p>
  ) : (
    <div class="fine">
      <p>
        {MADE} {say("This browser keeps it, and it is shown only now: copy it to use it elsewhere.")} {enter}
      </p>
      <Secret label={say("the player key")} text={made} />
    </div>
  );
}
