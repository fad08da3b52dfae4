/** Forms of what a player is mailed, one for each benchmark. */

import { useState } from "preact/hooks";

import type { WishView } from "../../api/generated/types.ts";
import { fetchWishes, saveWish } from "../../api/joining.ts";
import { usePolled } from "../../hooks/polling.ts";
import { say } from "../../languages/say.ts";
import { FormErrors, readErrors, TextField } from "../fields.tsx";

const TOPICS: readonly (readonly [WishView["topics"][number], string])[] = [
  ["beaten", say("Others passed you")],
  ["reviewed", say("Your submission was reviewed")],
  ["closing", say("It closes soon")],
  ["announced", say("The owner writes to all players")],
];

export function Wishes({ token }: { readonly token: string }) {
  const { value } = usePolled("wishes", (signal) => fetchWishes(token, signal));
  return value?.benchmarks.length ? (
    <section aria-label={say("Mail")}>
      <h2>{say("Mail")}</h2>
      <p class="lead">{say("At most one a day about a benchmark. The address gets a link to confirm first.")}</p>
      {value.benchmarks.map((wish) => (
        <WishForm key={wish.benchmark} token={token} first={wish} />
      ))}
    </section>
  ) : null;
}

function WishForm({ token, first }: { readonly token: string; readonly first: WishView }) {
  const [wish, setWish] = useState(first);
  const [status, setStatus] = useState("");
  const [errors, setErrors] = useState<readonly string[]>([]);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const fetched = await saveWish(token, wish.benchmark, form.getAll("topic"), form.get("address"));
    setErrors(readErrors(fetched));
    if (fetched.kind !== "ok") return setStatus("");
    setWish(fetched.value);
    setStatus(say("Saved."));
  };
  return (
    <form class="submit-form" aria-label={wish.title} onSubmit={save} noValidate>
      <h3>
        <bdi>{wish.title}</bdi>
      </h3>
      {TOPICS.map(([topic, label]) => (
        <label key={topic} class="check">
          <input type="checkbox" name="topic" value={topic} defaultChecked={wish.topics.includes(topic)} /> {label}
        </label>
      ))}
      <TextField
        label={say("Address")}
        hint=""
        name="address"
        inputMode="email"
        autocomplete="email"
        maxLength={255}
        defaultValue={wish.address ?? ""}
      />
      <FormErrors errors={errors} />
      <p>
        <button type="submit" class="button">
          {say("Save")}
        </button>
      </p>
      <p role="status" class="fine">
        {status} {wish.topics.length > 0 && !wish.confirmed && say("The address is not confirmed yet.")}
      </p>
    </form>
  );
}
