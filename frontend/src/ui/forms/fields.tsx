/** Parts of forms: files, tokens, errors. */

import type { ComponentChildren, PartialInputHTMLAttributes } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import type { PlayerKind } from "../../api/generated/types.ts";
import { mix, say } from "../../languages/say.ts";
import { Button } from "../controls.tsx";
import { Icon } from "../icons.tsx";

/** So long a text a field for a secret takes, which is checked when it is whole. */
export const MAX_SECRET = 512;
const UPLOAD = "M8 10.5V2.5M4.5 6L8 2.5 11.5 6M2.5 13.5h11";

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
  readonly type?: "text" | "password" | "datetime-local";
  /** The id of what it suggests. */
  readonly list?: string | undefined;
  readonly onText?: (text: string) => void;
  /** What stands below it. */
  readonly children?: ComponentChildren;
}

/** A field for a short text. */
export function TextField({ label, hint, type = "text", list, onText, children, ...input }: TextProps) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint}>
      <input
        id={id}
        // A type that takes no suggestions has none either.
        type={type as "text"}
        maxLength={64}
        autocomplete="off"
        {...input}
        list={list}
        onInput={(event) => onText?.(event.currentTarget.value)}
      />
      {children}
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

/** The kinds of players, for `Segments`. */
export const KINDS: readonly (readonly [PlayerKind, string])[] = [
  ["human", say("a human")],
  ["model", say("a model")],
];

interface SegmentsProps<Value extends string> {
  readonly legend: string;
  readonly options: readonly (readonly [Value, string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Radio buttons in a row. */
export const Segments = <Value extends string>(props: SegmentsProps<Value>) => (
  <fieldset class="segments">
    <legend>{props.legend}</legend>
    {props.options.map(([value, label]) => (
      <label key={value}>
        <input type="radio" name="kind" checked={props.value === value} onChange={() => props.onChange(value)} />
        <span>{label}</span>
      </label>
    ))}
  </fieldset>
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
    <TextField
      label={say("Token")}
      hint={hint}
      type="password"
      maxLength={MAX_SECRET}
      autocomplete="current-password"
      placeholder="laurel_…"
      value={token}
      disabled={disabled}
      aria-invalid={invalid}
      aria-describedby={id}
      onText={(text) => onToken(text.trim())}
    >
      <p class="fine" id={id}>
        {mix(
          "You get it by a link of the benchmark’s owner. It is kept in memory only, unless you had this browser keep it: {page}.",
          { page: <a href="/tokens">{say("Tokens and team")}</a> },
        )}
      </p>
    </TextField>
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
  readonly onFile?: (file: File) => void;
  /** Called in its place, where a folder may be chosen or dropped too, before the browser forgets what it was. */
  readonly onFiles?: (from: FileList | DataTransfer) => unknown;
}

/** A field for a file, or also a folder, chosen or dropped. */
export function FileField({ name, label, accept, disabled = false, fault = null, onFile, onFiles }: FileProps) {
  const id = useId();
  const take = (from: FileList | DataTransfer | null): void => {
    if (from && onFiles) return void onFiles(from);
    const file = from instanceof DataTransfer ? from.files[0] : from?.[0];
    if (file) onFile?.(file);
  };
  const inputs = [
    { text: name === "" ? label : say("Choose another file"), isFolder: false },
    { text: say("Choose a folder"), isFolder: true },
  ];
  return (
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (!disabled) take(event.dataTransfer);
      }}
    >
      {inputs.slice(0, onFiles ? 2 : 1).map(({ text, isFolder }) => (
        <span key={isFolder}>
          <label class="button" for={id + isFolder}>
            <Icon shape={UPLOAD} />
            {text}
          </label>
          <input
            id={id + isFolder}
            class="unseen"
            type="file"
            accept={isFolder ? undefined : accept}
            ref={(input) => {
              if (input) input.webkitdirectory = isFolder;
            }}
            disabled={disabled}
            aria-invalid={fault !== null}
            onChange={({ currentTarget }) => {
              take(currentTarget.files);
              currentTarget.value = ""; // so that the same one can be chosen again, once it is right
            }}
          />
        </span>
      ))}
      <span class="fine clip">{name === "" ? say("or drop it here") : fault === null ? name : <s>{name}</s>}</span>
      {fault !== null && (
        <p role="alert" class="form-errors">
          {fault}
        </p>
      )}
    </div>
  );
}

/** What is wrong, a line each; nothing if nothing is. */
export const ErrorList = ({ errors }: { readonly errors: readonly string[] }) =>
  errors.length === 0 ? null : (
    <ul class="form-errors">
      {errors.map((error) => (
        <li key={error}>{error}</li>
      ))}
    </ul>
  );

/** What is wrong with a form. The keyboard continues at the first field that is marked as invalid, else at the message. */
export function FormErrors({ id, errors }: { readonly id?: string | undefined; readonly errors: readonly string[] }) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (errors.length === 0) return;
    const field = alert.current?.closest("form")?.querySelector<HTMLElement>("[aria-invalid=true]");
    (field ?? alert.current)?.focus();
  }, [errors]);
  return (
    <div role="alert" id={id} ref={alert} tabIndex={-1}>
      <ErrorList errors={errors} />
    </div>
  );
}

interface FormProps {
  /** What the button that sends it says. */
  readonly action: string;
  readonly errors?: readonly string[];
  /** The id of the errors. */
  readonly id?: string;
  readonly disabled?: boolean;
  /** Called with the form when it is sent. */
  readonly onSend: (form: HTMLFormElement) => unknown;
  /** Whether its button is not what the page is for. */
  readonly isPlain?: boolean;
  /** What is between the errors and the button. */
  readonly last?: ComponentChildren;
  /** What is beside the button. */
  readonly beside?: ComponentChildren;
  /** What is below the button. */
  readonly after?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A form with what is wrong with it and the button that sends it at its end. */
export const Form = ({ action, errors = [], id, disabled = false, onSend, ...props }: FormProps) => (
  <form
    class="submit-form"
    noValidate
    onSubmit={(event) => {
      event.preventDefault();
      if (!disabled) void onSend(event.currentTarget);
    }}
  >
    {props.children}
    <FormErrors id={id} errors={errors} />
    {props.last}
    <p class={props.beside === undefined ? undefined : "labels"}>
      <Button submit primary={!props.isPlain} disabled={disabled}>
        {action}
      </Button>
      {props.beside}
    </p>
    {props.after}
  </form>
);

/** A field of a form for a reason, which everybody reads. */
export const ReasonField = (input: { readonly hint: string }) => (
  <TextField label={say("Reason")} name="reason" maxLength={300} {...input} />
);

/** Return the reason of a form, if one was entered. */
export function readReason(form: HTMLFormElement): { readonly reason?: string } {
  const reason = readField(form, "reason");
  return reason === "" ? {} : { reason };
}

/** Return the text of a field of a form, without spaces around it. */
export const readField = (form: HTMLFormElement, name: string): string =>
  String(new FormData(form).get(name) ?? "").trim();
