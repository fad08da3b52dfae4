/** A form for a receipt or a token. Its field is emptied at once, so that neither stays on the page. */

import { useMemo, useState } from "preact/hooks";

import { say } from "../../languages/say.ts";
import { checkToken } from "../lib/checks.ts";
import { Form, MAX_SECRET, readField, TextField } from "./fields.tsx";

interface Props {
  /** What the receipt or token opens. */
  readonly label: string;
  readonly placeholder?: string;
  /** Returns what is wrong with a text, or null. By default only a token is right. */
  readonly check?: (text: string) => string | null;
  /** Why the last receipt or token opened nothing. */
  readonly error: string | null;
  readonly onCredential: (text: string) => void;
}

export function CredentialForm({ label, placeholder = "laurel_…", check = checkToken, error, onCredential }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const wrong = problem ?? error;
  const errors = useMemo(() => (wrong === null ? [] : [wrong]), [wrong]);
  const take = (form: HTMLFormElement): void => {
    const text = readField(form, "credential");
    form.reset();
    setProblem(check(text));
    if (check(text) === null) onCredential(text);
  };
  if (globalThis.answerFromFiles) return null;
  return (
    <Form action={say("Open it")} isPlain errors={errors} onSend={take}>
      <TextField
        {...{ label, placeholder }}
        hint=""
        name="credential"
        type="password"
        maxLength={MAX_SECRET}
        autocomplete="current-password"
      />
    </Form>
  );
}
