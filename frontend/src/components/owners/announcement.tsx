/** A form that mails a text to the players of a benchmark who asked for that, once its owner confirms it. */

import { useId, useState } from "preact/hooks";

import { announce } from "../../api/owners.ts";
import { say } from "../../languages/say.ts";
import { Field, FormErrors, readErrors } from "../fields.tsx";

const MAX_TEXT = 2000;

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly title: string;
}

export function Announcement({ token, benchmark, title }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [sending, setSending] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!confirm(say("Mail this to the players of “{title}”? A mail cannot be taken back.", { title }))) return;
    setStatus("");
    setSending(true);
    const fetched = await announce(token, benchmark, text);
    setSending(false);
    setErrors(readErrors(fetched));
    if (fetched.kind !== "ok") return; // The text stays: a repeat mails nobody twice.
    const { players: count } = fetched.value;
    if (count === 0) return setStatus(say("No player has asked for such mail."));
    setStatus(say("On its way to {count} player.|On its way to {count} players.", { count }));
    setText("");
  };
  return (
    <section class="stack" aria-label={say("Write to the players")}>
      <h2>{say("Write to the players")}</h2>
      <form class="submit-form" onSubmit={send}>
        <Field id={id} label={say("Text")} hint={say("mailed within a day, once to each player who asked for it")}>
          <textarea
            id={id}
            rows={4}
            maxLength={MAX_TEXT}
            value={text}
            disabled={sending}
            aria-invalid={errors.length > 0}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Field>
        <FormErrors errors={errors} />
        <p>
          <button type="submit" class="button" disabled={sending || text.trim() === ""}>
            {say("Mail the text")}
          </button>
        </p>
        <p role="status" class="fine">
          {status}
        </p>
      </form>
    </section>
  );
}
