/** The player key, which makes a guest's name that guest's. */

import { useState } from "preact/hooks";

import { say } from "../../languages/say.ts";
import { MAX_SECRET, TextField } from "../../ui/forms/fields.tsx";
import { keptKey } from "../../ui/hooks/storage.ts";
import { Secret } from "../../ui/tabs.tsx";

interface KeyProps {
  readonly value: string;
  readonly onValue: (key: string) => void;
}

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
    <button type="button" class="button small" onClick={() => (onValue(""), setEntered(true))}>
      {say("Use another key")}
    </button>
  );
  return made === null ? (
    <p class="fine">
      {say("The name is yours: this browser has your player key.")} {enter}
    </p>
  ) : (
    <div class="fine">
      <p>
        {say("This key makes the name yours, and nobody else can add to your row.")}{" "}
        {say("This browser keeps it, and it is shown only now: copy it to use it elsewhere.")} {enter}
      </p>
      <Secret label={say("the player key")} text={made} />
    </div>
  );
}
