/** A form that mails each of some addresses a link of its own. */

import { useId, useState } from "preact/hooks";

import { say } from "../languages/say.ts";
import { Field, Form } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";
import { mailInvitations } from "./requests.ts";

interface MailProps {
  readonly token: string;
  readonly benchmark: string;
  readonly onMail: () => void;
}

export function MailForm({ token, benchmark, onMail }: MailProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [count, setCount] = useState<number | null>(null);
  const { errors, setErrors, busy, send } = useRequest();
  const mail = async (): Promise<void> => {
    const lines = text.split("\n");
    const mailed = await send(mailInvitations(token, benchmark, lines));
    setCount(mailed && mailed.invitations.length);
    if (!mailed) return;
    setErrors(mailed.unread.map(({ detail }) => detail));
    setText(mailed.unread.map(({ line }) => lines[line - 1]).join("\n")); // to be corrected
    onMail();
  };
  return (
    <Form
      action={say("Mail the links")}
      errors={errors}
      disabled={busy}
      isPlain
      onSend={mail}
      after={
        <p role="status" class="fine">
          {count !== null && say("{count} link is on its way.|{count} links are on their way.", { count })}
        </p>
      }
    >
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
    </Form>
  );
}
