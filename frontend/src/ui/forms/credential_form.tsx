/** A form for a receipt or a token. Its field is emptied at once, so that neither stays on the page. */

import { useId, useState } from "preact/hooks";

import { say } from "../../languages/say.ts";
import { checkToken } from "../lib/checks.ts";

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
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const take = (event: Event): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get("credential") ?? "").trim();
    form.reset();
    const wrong = check(text);
    setProblem(wrong);
    if (wrong === null) onCredential(text);
  };
  return (
    <form class="receipt-form" onSubmit={take}>
      <label for={id}>{label}</label>
      <div>
        <input
          id={id}
          name="credential"
          type="password"
          autocomplete="current-password"
          placeholder={placeholder}
          required
        />
        <button type="submit" class="button">
          {say("Open it")}
        </button>
      </div>
      <p role="alert">{problem ?? error}</p>
    </form>
  );
}
