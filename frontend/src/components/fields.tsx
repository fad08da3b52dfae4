/** Parts of forms: files, tokens, errors. */

import type { ComponentChildren, PartialInputHTMLAttributes } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import type { Fetched } from "../api/client.ts";
import type { PlayerKind } from "../api/generated/types.ts";
import { mix, say } from "../languages/say.ts";
import { explainProblem } from "../lib/checks.ts";
import { Segments } from "./controls.tsx";
import { Icon, UPLOAD } from "./icons.tsx";

const KINDS: readonly (readonly [PlayerKind, string])[] = [
  ["human", say("a human")],
  ["model", say("a model")],
];

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly children: ComponentChildren;
}

/** A labelled input, which has the id. */
export const Field = ({ id, label, hint, children }: FieldProps) => (
  <div class="field">
    <label for={id}>
      {label} <span class="fine">{hint}</span>
    </label>
    {children}
  </div>
);

interface TextProps extends Omit<PartialInputHTMLAttributes<HTMLInputElement>, "type" | "role"> {
  readonly label: string;
  readonly hint: string;
  /** The id of what it suggests. */
  readonly list?: string | undefined;
  readonly onText?: (text: string) => void;
}

/** A field for a short text. */
export function TextField({ label, hint, list, onText, ...input }: TextProps) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint}>
      <input
        id={id}
        type="text"
        maxLength={64}
        autocomplete="off"
        {...input}
        list={list}
        onInput={(event) => onText?.(event.currentTarget.value)}
      />
    </Field>
  );
}

interface CheckProps {
  readonly checked: boolean;
  readonly "aria-invalid"?: boolean;
  readonly disabled?: boolean;
  readonly onCheck: (checked: boolean) => void;
  readonly children: ComponentChildren;
}

/** A box to tick, before what it means. */
export const CheckField = ({ onCheck, children, ...input }: CheckProps) => (
  <label>
    <input type="checkbox" {...input} onChange={(event) => onCheck(event.currentTarget.checked)} /> {children}
  </label>
);

interface KindProps {
  readonly kind: PlayerKind;
  readonly onKind: (kind: PlayerKind) => void;
}

/** Whether the player is a human or a model. */
export const KindField = ({ kind, onKind }: KindProps) => (
  <Segments legend={say("You are")} options={KINDS} value={kind} onChange={onKind} />
);

interface TokenProps {
  readonly hint: string;
  readonly token: string;
  readonly disabled?: boolean;
  readonly invalid?: boolean;
  readonly onToken: (token: string) => void;
}

/** A field for a token, which is sent only in a request's header. */
export function TokenField({ hint, token, disabled = false, invalid, onToken }: TokenProps) {
  const id = useId();
  return (
    <Field id={id} label={say("Token")} hint={hint}>
      <input
        id={id}
        type="password"
        autocomplete="current-password"
        placeholder="laurel_…"
        value={token}
        disabled={disabled}
        aria-invalid={invalid}
        aria-describedby={`${id}-source`}
        onInput={(event) => onToken(event.currentTarget.value.trim())}
      />
      <p class="fine" id={`${id}-source`}>
        {mix(
          "You get it by a link of the benchmark’s owner. It is kept in memory only, unless you had this browser keep it: {page}.",
          { page: <a href="/tokens">{say("Tokens and team")}</a> },
        )}
      </p>
    </Field>
  );
}

interface FileProps {
  /** The name of the chosen file; empty if there is none. */
  readonly name: string;
  /** What to do: `Choose a JSON file`. */
  readonly label: string;
  readonly accept: string;
  readonly disabled?: boolean;
  /** What is wrong with the file; null if nothing is. */
  readonly fault?: string | null;
  readonly onFile: (file: File) => void;
}

interface DropProps {
  readonly disabled: boolean;
  readonly onDrop: (dropped: DataTransfer) => void;
  readonly children: ComponentChildren;
}

/** A place to drop files, around what chooses them. */
export const DropArea = ({ disabled, onDrop, children }: DropProps) => (
  <div
    class="drop"
    onDragOver={(event) => event.preventDefault()}
    onDrop={(event) => {
      event.preventDefault();
      if (event.dataTransfer && !disabled) onDrop(event.dataTransfer);
    }}
  >
    {children}
  </div>
);

/** A field for a file, chosen or dropped. */
export function FileField({ name, label, accept, disabled = false, fault = null, onFile }: FileProps) {
  const id = useId();
  const take = ({ files }: { readonly files: FileList | null }): void => {
    if (files?.[0]) onFile(files[0]);
  };
  return (
    <DropArea disabled={disabled} onDrop={take}>
      <label class="button" for={id}>
        <Icon shape={UPLOAD} />
        {name === "" ? label : say("Choose another file")}
      </label>
      <input
        id={id}
        class="unseen"
        type="file"
        accept={accept}
        disabled={disabled}
        aria-invalid={fault !== null}
        onChange={(event) => take(event.currentTarget)}
      />
      <span class="fine clip">{name === "" ? say("or drop it here") : fault === null ? name : <s>{name}</s>}</span>
      {fault !== null && (
        <p role="alert" class="form-errors">
          {fault}
        </p>
      )}
    </DropArea>
  );
}

/** Return what is wrong with an answer, in sentences; `missing` is the one for what does not exist. */
export function readErrors(fetched: Fetched<unknown>, missing = say("It does not exist any more.")): readonly string[] {
  if (fetched.kind === "ok") return [];
  if (fetched.kind === "rejected") return explainProblem(fetched.problem);
  return [fetched.kind === "missing" ? missing : say("The server did not answer. Try again in a moment.")];
}

interface ErrorsProps {
  readonly id?: string;
  readonly errors: readonly string[];
}

/** What is wrong with a form. The keyboard continues at the first field that is marked as invalid, else at the message. */
export function FormErrors({ id, errors }: ErrorsProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (errors.length === 0) return;
    const field = alert.current?.closest("form")?.querySelector<HTMLElement>("[aria-invalid=true]");
    (field ?? alert.current)?.focus();
  }, [errors]);
  return (
    <div role="alert" id={id} ref={alert} tabIndex={-1}>
      {errors.length > 0 && (
        <ul class="form-errors">
          {errors.map((error) => (
            <li key={error}>{error}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
