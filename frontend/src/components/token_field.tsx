/** Takes a token, which stays in the page's memory and goes nowhere but into a request's header. */

import { useId } from "preact/hooks";

interface Props {
  /** What it is for: `names you as a verified player`. */
  readonly hint: string;
  readonly token: string;
  readonly disabled?: boolean;
  readonly onToken: (token: string) => void;
}

export function TokenField({ hint, token, disabled = false, onToken }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        Token <span class="fine">{hint}</span>
      </label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        placeholder="laurel_…"
        value={token}
        disabled={disabled}
        aria-describedby={`${id}-whence`}
        onInput={(event) => onToken(event.currentTarget.value.trim())}
      />
      <p class="fine" id={`${id}-whence`}>
        The site’s administrator makes it with <code>laurel token create</code>. This page forgets it once it is closed.
      </p>
    </div>
  );
}
