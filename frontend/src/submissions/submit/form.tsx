/** The form for one result: a file or text, a name, a token. */

import { useId, useMemo, useState } from "preact/hooks";

import { namesParts } from "../../batches/files.ts";
import { usePartNames } from "../../boards/use_boards.ts";
import { say } from "../../languages/say.ts";
import { Field, FileField, Form, KINDS, MAX_SECRET, Segments, TextField, TokenField } from "../../ui/forms/fields.tsx";
import { keptKey } from "../../ui/hooks/storage.ts";
import { isText, listEndings } from "../../ui/lib/file_formats.ts";
import { Secret } from "../../ui/tabs.tsx";
import { useSending, type Sending } from "./sending.ts";
import { findTaking } from "./taking.tsx";

interface Props extends Sending {
  readonly onToken: (token: string) => void;
}

export function SubmitForm({ onToken, ...props }: Props) {
  const { benchmark, token } = props;
  const sending = useSending(props);
  const id = `${useId()}-errors`;
  const { draft, change, faults } = sending;
  const errors = useMemo(() => faults.map(([, text]) => text), [faults]);
  const { anonymous, takes } = benchmark.submissions;
  const isOpen = findTaking(benchmark) !== null;
  const mark = (field: string) =>
    faults.some(([name]) => name === field) ? { "aria-invalid": true, "aria-describedby": id } : {};
  return (
    <Form
      id={id}
      action={!isOpen ? say("Not open") : sending.busy ? say("Handing in …") : say("Hand in")}
      disabled={sending.busy || !isOpen}
      errors={errors}
      onSend={sending.send}
    >
      <FileField
        name={draft.file}
        label={takes.join() === "json" ? say("Choose a JSON file") : say("Choose a file")}
        accept={listEndings(takes)}
        fault={sending.fileFault}
        onFile={sending.read}
      />
      {draft.upload === null && isText(sending.typed) && (
        <ResultField sample={benchmark.sample} sending={sending} marks={mark("body")} />
      )}
      {benchmark.parts.length > 0 && <PartField benchmark={benchmark} sending={sending} marks={mark("part")} />}
      {anonymous && (
        <TextField
          label={say("Name")}
          hint={say("without one you are not on the board")}
          autocomplete="nickname"
          placeholder={say("guest")}
          value={draft.player}
          disabled={token !== ""}
          {...mark("player")}
          onText={(player) => change({ player })}
        />
      )}
      {sending.isOwned && <PlayerKeyField value={sending.playerKey} onValue={sending.setPlayerKey} />}
      {benchmark.takes_labels && (
        <TextField
          label={say("Label")}
          hint={say("a board shows a row for each")}
          placeholder="step-1000"
          value={draft.label}
          {...mark("label")}
          onText={(label) => change({ label })}
        />
      )}
      <TokenField
        hint={anonymous ? say("if you have one") : say("names the player")}
        token={token}
        invalid={"aria-invalid" in mark("token")}
        onToken={onToken}
      />
      {token === "" && (
        <Segments legend={say("Made by")} options={KINDS} value={draft.kind} onChange={(kind) => change({ kind })} />
      )}
    </Form>
  );
}

interface FieldProps {
  readonly sending: ReturnType<typeof useSending>;
  /** Attributes that say that the field is wrong. */
  readonly marks: object;
}

/** A field for a result that is a text, with a button that fills in the sample. */
function ResultField({ sample, sending, marks }: FieldProps & { readonly sample: string | null }) {
  const id = useId();
  const { typed, draft, enter } = sending;
  return (
    <div class="field">
      <div class="headline">
        <label for={id}>{say("Result")}</label>
        {sample !== null && draft.body === "" && (
          <button type="button" class="button small" onClick={() => enter(sample, true)}>
            {say("Start from the sample")}
          </button>
        )}
      </div>
      <textarea
        id={id}
        rows={5}
        spellcheck={false}
        placeholder={typed === "json" ? "{ … }" : `.${typed}`}
        value={draft.body}
        {...marks}
        onInput={(event) => enter(event.currentTarget.value)}
      />
    </div>
  );
}

/** A menu of the parts. */
function PartField({ benchmark, sending, marks }: FieldProps & Pick<Props, "benchmark">) {
  const id = useId();
  const isNeeded = namesParts(benchmark);
  const nameOf = usePartNames(benchmark.id);
  const hint = isNeeded ? say("that this run belongs to") : say("if the result names none");
  return (
    <Field id={id} label={say("Part")} hint={hint}>
      <select
        id={id}
        value={sending.draft.part}
        {...marks}
        onChange={(event) => sending.change({ part: event.currentTarget.value })}
      >
        {!isNeeded && <option value="">{say("as in the result")}</option>}
        {benchmark.parts.map((part) => (
          <option key={part} value={part}>
            {nameOf(part)}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface KeyProps {
  readonly value: string;
  readonly onValue: (key: string) => void;
}

/** The player key of a guest: shown once when the page has made it, then only replaced by one from elsewhere. */
function PlayerKeyField({ value, onValue }: KeyProps) {
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
