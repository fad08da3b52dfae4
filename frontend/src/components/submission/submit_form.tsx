/** The form for one result: a file or text, a name, a token. */

import { useId, useRef, useState } from "preact/hooks";

import type { BenchmarkView, PlayerKind } from "../../api/generated/types.ts";
import { postResult } from "../../api/submissions.ts";
import { openPage } from "../../hooks/navigation.ts";
import { expected, playerKeys, receipts } from "../../hooks/receipts.ts";
import { namesParts } from "../../lib/batch.ts";
import {
  checkName,
  checkResult,
  checkToken,
  explainProblem,
  formatBytes,
  isPlayerKey,
  makeRandomDigits,
} from "../../lib/checks.ts";
import { submissionPath } from "../../lib/route.ts";
import { Segments } from "../controls.tsx";
import { Field, FileField, FormErrors, TokenField } from "../fields.tsx";
import { PlayerKeyField } from "./player_key.tsx";

const KINDS: readonly (readonly [PlayerKind, string])[] = [
  ["human", "A human"],
  ["model", "A model"],
];

interface Props {
  readonly benchmark: BenchmarkView;
  /** The largest result in bytes. */
  readonly limit: number;
  readonly token: string;
  readonly onToken: (token: string) => void;
}

export function SubmitForm({ benchmark, limit, token, onToken }: Props) {
  const [body, setBody] = useState("");
  const [file, setFile] = useState("");
  const [player, setPlayer] = useState("");
  const [playerKey, setPlayerKey] = useState(() => playerKeys.find() ?? `player_${makeRandomDigits()}`);
  const [kind, setKind] = useState<PlayerKind>("human");
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [sending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // Sending the same content again uses the same key, so a retry after a lost answer is no second submission.
  const lastRequest = useRef({ content: "", key: "" });
  const id = useId();
  const { anonymous } = benchmark.submissions;
  const isOpen = benchmark.state === "open";

  const take = async (chosen: File): Promise<void> => {
    const isTooLarge = chosen.size > limit;
    setFile(chosen.name);
    setErrors(
      isTooLarge ? [`${chosen.name} has ${formatBytes(chosen.size)}; the limit here is ${formatBytes(limit)}.`] : [],
    );
    setBody(isTooLarge ? "" : await chosen.text());
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!form.current || sending) return;
    const data = new FormData(form.current);
    const read = (name: string): string => String(data.get(name) ?? "").trim();
    const isOwned = anonymous && token === "" && player.trim() !== "";
    const problems = [
      checkResult(body, limit),
      checkName(player),
      isOwned && !isPlayerKey(playerKey) ? "A player key is player_ and 32 digits. Copy the whole key." : null,
      token !== "" || !anonymous ? checkToken(token) : null,
    ].filter((problem) => problem !== null);
    setErrors(problems);
    if (problems.length > 0) return;
    const about = { player: player.trim(), playerKey, kind };
    const request = { benchmark: benchmark.id, body, ...about, part: read("part"), label: read("label"), token };
    const content = JSON.stringify(request);
    if (lastRequest.current.content !== content) lastRequest.current = { content, key: makeRandomDigits() };
    if (isOwned) playerKeys.keep(playerKey);
    setSending(true);
    const fetched = await postResult({ ...request, key: lastRequest.current.key });
    setSending(false);
    switch (fetched.kind) {
      case "ok":
        receipts.keep(fetched.value.submission, fetched.value.receipt);
        expected.keep(benchmark.id, fetched.value.submission);
        openPage(submissionPath(benchmark.id, fetched.value.submission));
        break;
      case "rejected":
        setErrors(explainProblem(fetched.problem));
        break;
      default:
        setErrors(["The server did not accept the result. Nothing is lost: try again in a moment."]);
    }
  };

  return (
    <form ref={form} class="submit-form" onSubmit={send} noValidate>
      <FileField
        name={file}
        noun="a JSON file"
        accept=".json,application/json"
        onFile={(chosen) => void take(chosen)}
      />
      <div class="field">
        <label for={`${id}-body`}>Result</label>
        <textarea
          id={`${id}-body`}
          rows={7}
          spellcheck={false}
          placeholder="{ … }"
          value={body}
          aria-invalid={errors.length > 0}
          aria-describedby={errors.length > 0 ? `${id}-errors` : undefined}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
        {benchmark.sample !== null && body === "" && (
          <button type="button" class="link" onClick={() => setBody(benchmark.sample ?? "")}>
            Start from the sample
          </button>
        )}
      </div>
      {benchmark.parts.length > 0 && (
        <Field
          id={`${id}-part`}
          label="Part"
          hint={namesParts(benchmark) ? "that this run belongs to" : "if the result names none"}
        >
          <select id={`${id}-part`} name="part">
            {!namesParts(benchmark) && <option value="">as in the result</option>}
            {benchmark.parts.map((part) => (
              <option key={part} value={part}>
                {part}
              </option>
            ))}
          </select>
        </Field>
      )}
      {anonymous && (
        <Field id={`${id}-player`} label="Name" hint="without one you are not on the board">
          <input
            id={`${id}-player`}
            name="player"
            type="text"
            maxLength={64}
            autocomplete="nickname"
            placeholder="guest"
            value={player}
            disabled={token !== ""}
            onInput={(event) => setPlayer(event.currentTarget.value)}
          />
        </Field>
      )}
      {anonymous && token === "" && player.trim() !== "" && (
        <PlayerKeyField value={playerKey} onValue={setPlayerKey} />
      )}
      {benchmark.takes_labels && (
        <Field id={`${id}-label`} label="Label" hint="a board shows a row for each">
          <input id={`${id}-label`} name="label" type="text" maxLength={64} placeholder="step-1000" />
        </Field>
      )}
      <TokenField hint={anonymous ? "if you have one" : "names the player"} token={token} onToken={onToken} />
      <Segments legend="Made by" options={KINDS} value={kind} disabled={token !== ""} onChange={setKind} />
      <FormErrors id={`${id}-errors`} errors={errors} />
      <button type="submit" class="button primary" disabled={sending || !isOpen}>
        {!isOpen ? "Not open" : sending ? "Handing in …" : "Hand in"}
      </button>
    </form>
  );
}
