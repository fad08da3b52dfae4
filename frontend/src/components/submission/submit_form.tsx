/** The form for one result: a file or text, a name, a token. */

import { useId, useMemo, useRef, useState } from "preact/hooks";

import type { BenchmarkView, PlayerKind, Problem } from "../../api/generated/types.ts";
import { postResult } from "../../api/submissions.ts";
import { useDraft } from "../../hooks/draft.ts";
import { openPage } from "../../hooks/navigation.ts";
import { expected, playerKeys, playerNames, receipts } from "../../hooks/receipts.ts";
import { say } from "../../languages/say.ts";
import { describeWrongFormat, namesParts } from "../../lib/batch.ts";
import {
  checkName,
  checkResult,
  checkToken,
  describeSize,
  explainProblem,
  isPlayerKey,
  makeRandomDigits,
} from "../../lib/checks.ts";
import { formatOf, isText, listEndings, MEDIA_TYPES } from "../../lib/file_formats.ts";
import { submissionPath } from "../../lib/board/paths.ts";
import { Segments } from "../controls.tsx";
import { Field, FileField, FormErrors, TextField, TokenField } from "../fields.tsx";
import { FilePreview } from "./file_preview.tsx";
import { PlayerKeyField } from "./player_key.tsx";
import { SameName } from "./same_name.tsx";
import { TriesLeft } from "./tries_left.tsx";

const KINDS: readonly (readonly [PlayerKind, string])[] = [
  ["human", say("A human")],
  ["model", say("A model")],
];

interface Props {
  readonly benchmark: BenchmarkView;
  /** The board from which the visitor came; a part of that name is chosen. */
  readonly board: string;
  /** The largest result in bytes. */
  readonly limit: number;
  readonly token: string;
  readonly onToken: (token: string) => void;
}

const OFFLINE = say(
  "You seem to be offline. Nothing was sent, and the result is still here: hand it in when you are connected again.",
);
const UNREACHABLE = say("The server did not answer, or is busy. Nothing is lost: try again in a moment.");

/** What is wrong, and with which field; null if with none. */
type Fault = readonly [field: string | null, text: string];

export function SubmitForm({ benchmark, board, limit, token, onToken }: Props) {
  const [draft, change] = useDraft(
    benchmark.id,
    benchmark.parts.includes(board) ? board : null,
    namesParts(benchmark) ? (benchmark.parts[0] ?? "") : "",
  );
  const [playerKey, setPlayerKey] = useState(() => playerKeys.find() ?? `player_${makeRandomDigits()}`);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [fileFault, setFileFault] = useState<string | null>(null);
  const [sending, setSending] = useState(false);
  const [given, setGiven] = useState("");
  // Sending the same content again uses the same key, so a retry after a lost answer is no second submission.
  const lastRequest = useRef({ content: "", key: "" });
  const id = useId();
  const errors = useMemo(() => faults.map(([, text]) => text), [faults]);
  const { body, file, kind, upload } = draft;
  const [player, label] = [draft.player.trim(), draft.label.trim()];
  const { anonymous, takes } = benchmark.submissions;
  const typed = takes[0] ?? "json";
  const isJsonOnly = takes.length === 1 && typed === "json";
  const format = (upload && formatOf(upload.name)) ?? typed;
  const isOpen = benchmark.state === "open";
  const isInvalid = (field: string): boolean => faults.some(([name]) => name === field);
  const mark = (field: string) =>
    isInvalid(field) ? { "aria-invalid": true, "aria-describedby": `${id}-errors` } : {};

  const take = async (chosen: File): Promise<void> => {
    const chosenFormat = formatOf(chosen.name) ?? (isJsonOnly ? "json" : undefined);
    const fault =
      chosen.size > limit
        ? describeSize(chosen, limit)
        : chosen.size === 0
          ? say("{file} is empty.", { file: chosen.name })
          : chosenFormat && takes.includes(chosenFormat)
            ? null
            : describeWrongFormat(chosen.name, takes);
    const isUpload = fault === null && chosenFormat !== "json";
    const text = fault === null && !isUpload ? await readText(chosen) : "";
    setFaults([]);
    setFileFault(text === null ? describeWrongFormat(chosen.name, takes) : fault);
    change({ file: chosen.name, body: text ?? "", upload: isUpload ? chosen : null });
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (sending) return;
    if (fileFault !== null) return setFaults([["file", fileFault]]);
    const isOwned = anonymous && token === "" && player !== "";
    const checked: readonly (readonly [string, string | null])[] = [
      ["body", upload ? null : checkResult(body, limit, typed === "json")],
      ["player", checkName(player)],
      [
        "key",
        isOwned && !isPlayerKey(playerKey) ? say("A player key is player_ and 32 digits. Copy the whole key.") : null,
      ],
      ["token", token !== "" || !anonymous ? checkToken(token) : null],
    ];
    const problems = checked.filter((fault): fault is readonly [string, string] => fault[1] !== null);
    setFaults(problems);
    if (problems.length > 0) return;
    const about = { player, playerKey, kind, part: draft.part, label, token };
    const request = { benchmark: benchmark.id, ...about, type: MEDIA_TYPES[format] };
    const content = JSON.stringify([request, upload ? [upload.name, upload.size, upload.lastModified] : body]);
    if (lastRequest.current.content !== content) lastRequest.current = { content, key: makeRandomDigits() };
    if (isOwned) playerKeys.keep(playerKey);
    setSending(true);
    const fetched = await postResult({ ...request, body: upload ?? body, key: lastRequest.current.key });
    setSending(false);
    switch (fetched.kind) {
      case "ok":
        receipts.keep(fetched.value.submission, fetched.value.receipt);
        expected.keep(benchmark.id, fetched.value.submission);
        if (token === "") playerNames.keep(player);
        openPage(submissionPath(benchmark.id, fetched.value.submission, board));
        break;
      case "rejected":
        setFaults(explainProblem(fetched.problem).map((text) => [findField(fetched.problem), text]));
        break;
      default:
        setFaults([[null, navigator.onLine ? UNREACHABLE : OFFLINE]]);
    }
  };

  return (
    <form class="submit-form" onSubmit={send} noValidate>
      <FileField
        name={file}
        label={isJsonOnly ? say("Choose a JSON file") : say("Choose a file")}
        accept={listEndings(takes)}
        fault={fileFault}
        onFile={take}
      />
      {upload && <FilePreview file={upload} format={format} />}
      {upload === null && isText(typed) && (
        <div class="field">
          <label for={`${id}-body`}>{say("Result")}</label>
          <textarea
            id={`${id}-body`}
            rows={7}
            spellcheck={false}
            placeholder={typed === "json" ? "{ … }" : `.${typed}`}
            value={body}
            {...mark("body")}
            onInput={(event) => {
              setFileFault(null);
              change({ body: event.currentTarget.value, ...(fileFault === null ? {} : { file: "" }) });
            }}
          />
          {benchmark.sample !== null && body === "" && (
            <button
              type="button"
              class="link"
              onClick={() => {
                setFileFault(null);
                change({ body: benchmark.sample ?? "", file: "" });
              }}
            >
              {say("Start from the sample")}
            </button>
          )}
        </div>
      )}
      {benchmark.parts.length > 0 && (
        <Field
          id={`${id}-part`}
          label={say("Part")}
          hint={namesParts(benchmark) ? say("that this run belongs to") : say("if the result names none")}
        >
          <select
            id={`${id}-part`}
            value={draft.part}
            {...mark("part")}
            onChange={(event) => change({ part: event.currentTarget.value })}
          >
            {!namesParts(benchmark) && <option value="">{say("as in the result")}</option>}
            {benchmark.parts.map((part) => (
              <option key={part} value={part}>
                {part}
              </option>
            ))}
          </select>
        </Field>
      )}
      {anonymous && (
        <TextField
          label={say("Name")}
          hint={say("without one you are not on the board")}
          autocomplete="nickname"
          placeholder={say("guest")}
          value={draft.player}
          disabled={token !== ""}
          {...mark("player")}
          onText={(text) => change({ player: text })}
          onChange={(event) => setGiven(event.currentTarget.value.trim())}
        />
      )}
      {token === "" && (
        <SameName benchmark={benchmark.id} name={given === player && checkName(given) === null ? given : ""} />
      )}
      {anonymous && token === "" && player !== "" && <PlayerKeyField value={playerKey} onValue={setPlayerKey} />}
      {benchmark.takes_labels && (
        <TextField
          label={say("Label")}
          hint={say("a board shows a row for each")}
          placeholder="step-1000"
          value={draft.label}
          {...mark("label")}
          onText={(text) => change({ label: text })}
        />
      )}
      <TokenField
        hint={anonymous ? say("if you have one") : say("names the player")}
        token={token}
        invalid={isInvalid("token")}
        onToken={onToken}
      />
      <Segments
        legend={say("Made by")}
        options={KINDS}
        value={kind}
        disabled={token !== ""}
        onChange={(chosen) => change({ kind: chosen })}
      />
      <FormErrors id={`${id}-errors`} errors={errors} />
      <TriesLeft benchmark={benchmark.id} token={token} />
      <button type="submit" class="button primary" disabled={sending || !isOpen}>
        {!isOpen ? say("Not open") : sending ? say("Handing in …") : say("Hand in")}
      </button>
    </form>
  );
}

/** Return the text of a file; null if it is none in UTF-8. */
async function readText(file: File): Promise<string | null> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** Return the field that a problem is about. */
function findField({ status, errors = [] }: Problem): string | null {
  if (status === 401) return "token";
  return errors[0]?.parameter ?? (errors[0]?.pointer == null ? null : "body");
}
