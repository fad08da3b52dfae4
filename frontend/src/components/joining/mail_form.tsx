/** A form that mails each of some addresses a link of its own. */

import { useId, useState } from "preact/hooks";

import { mailInvitations } from "../../api/joining.ts";
import { say } from "../../languages/say.ts";
import { Field, FormErrors, readErrors } from "../fields.tsx";

interface MailProps {
  readonly token: string;
  readonly benchmark: string;
  readonly onMail: () => void;
}

export function MailForm({ token, benchmark, onMail }: MailProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [count, setCount] = useState<number | null>(null);
  const [sending, setSending] = useState(false);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSending(true);
    const lines = text.split("\n");
    const fetched = await mailInvitations(token, benchmark, lines);
    setSending(false);
    setErrors(fetched.kind === "ok" ? fetched.value.unread.map(({ detail }) => detail) : readErrors(fetched));
    setCount(fetched.kind === "ok" ? fetched.value.invitations.length : null);
    if (fetched.kind === "ok") {
      setText(fetched.value.unread.map(({ line }) => lines[line - 1]).join("\n")); // to be corrected
      onMail();
    }
  };
  return (
    <form class="submit-form" onSubmit={send} noValidate>
      <Field
        id={id}
        label={say("Addresses")}
        hint={say(
          "or the list of a class as Moodle, Canvas or Classroom export it; each gets a link of its own by mail",
        )}
      >
        <textarea
          id={id}
          rows={4}
          value={text}
          aria-invalid={errors.length > 0}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </Field>
      <FormErrors errors={errors} />
      <p>
        <button type="submit" class="button" disabled={sending}>
          {say("Mail the links")}
        </button>
      </p>
      <p role="status" class="fine">
        {count !== null && say("{count} link is on its way.|{count} links are on their way.", { count })}
      </p>
    </form>
  );
}
