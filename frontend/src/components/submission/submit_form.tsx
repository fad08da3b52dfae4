/** Hands in a result from the browser: a file or text, a name, and off it goes. */

import { useId, useRef, useState } from "preact/hooks";

import type { BenchmarkAnswer } from "../../api/answers.ts";
import { makeId, postResult } from "../../api/submissions.ts";
import { openPage } from "../../hooks/navigation.ts";
import { receipts } from "../../hooks/storage.ts";
import { checkResult, formatBytes } from "../../lib/result.ts";
import { submissionPath } from "../../lib/route.ts";
import { checkName, checkToken, explainRefusal } from "../../lib/token.ts";
import { Faults } from "../form_errors.tsx";
import { FileField } from "../file_field.tsx";
import { TokenField } from "../token_field.tsx";

interface Props {
  readonly benchmark: BenchmarkAnswer;
  /** Most bytes of a result. */
  readonly limit: number;
  readonly token: string;
  readonly onToken: (token: string) => void;
}

export function HandoverForm({ benchmark, limit, token, onToken }: Props) {
  const [body, setBody] = useState("");
  const [file, setFile] = useState("");
  const [kind, setKind] = useState("human");
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [sending, setSending] = useState(false);
  const fields = useRef<HTMLFormElement>(null);
  // The same try has the same key, so that a repeat after a lost answer is no second submission.
  const tried = useRef({ of: "", key: "" });
  const id = useId();
  const { anonymous } = benchmark.submissions;
  const choosesPart = benchmark.parts.length > 0;

  const take = async (chosen: File): Promise<void> => {
    setFile(chosen.name);
    setFaults(
      chosen.size > limit
        ? [`${chosen.name} has ${formatBytes(chosen.size)}; here at most ${formatBytes(limit)} are taken.`]
        : [],
    );
    setBody(chosen.size > limit ? "" : await chosen.text());
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!fields.current || sending) return;
    const data = new FormData(fields.current);
    const read = (name: string): string => String(data.get(name) ?? "").trim();
    const needsToken = token !== "" || !anonymous;
    const wrong = [
      checkResult(body, limit),
      checkName(read("player")),
      needsToken ? checkToken(token) : null,
    ].filter((one) => one !== null);
    setFaults(wrong);
    if (wrong.length > 0) return;
    const handover = {
      benchmark: benchmark.id,
      body,
      player: read("player"),
      kind,
      part: read("part"),
      token,
    };
    const content = JSON.stringify(handover);
    if (tried.current.of !== content) tried.current = { of: content, key: makeId() };
    setSending(true);
    const fetched = await postResult({ ...handover, key: tried.current.key });
    setSending(false);
    switch (fetched.kind) {
      case "ok":
        receipts.keep(fetched.value.submission, fetched.value.receipt);
        openPage(submissionPath(benchmark.id, fetched.value.submission));
        break;
      case "refused":
        setFaults(explainRefusal(fetched.problem));
        break;
      default:
        setFaults(["The server did not take the result. Nothing was lost: try again in a moment."]);
    }
  };

  return (
    <form ref={fields} class="handover" onSubmit={send} noValidate>
      <FileField
        name={file}
        wanted="a JSON file"
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
          aria-invalid={faults.length > 0}
          aria-describedby={faults.length > 0 ? `${id}-faults` : undefined}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
        {benchmark.sample !== null && body === "" && (
          <button type="button" class="link" onClick={() => setBody(benchmark.sample ?? "")}>
            Start from the sample
          </button>
        )}
      </div>
      {choosesPart && (
        <div class="field">
          <label for={`${id}-part`}>
            Part{" "}
            <span class="fine">
              {benchmark.scorer === "script" ? "which this run is of" : "where the result names none"}
            </span>
          </label>
          <select id={`${id}-part`} name="part">
            {benchmark.scorer !== "script" && <option value="">as in the result</option>}
            {benchmark.parts.map((part) => (
              <option key={part} value={part}>
                {part}
              </option>
            ))}
          </select>
        </div>
      )}
      {anonymous && (
        <div class="field">
          <label for={`${id}-player`}>
            Name <span class="fine">as the board shall show it</span>
          </label>
          <input
            id={`${id}-player`}
            name="player"
            type="text"
            maxLength={64}
            autocomplete="nickname"
            placeholder="guest"
            disabled={token !== ""}
          />
        </div>
      )}
      <TokenField
        hint={anonymous ? "where you have one" : "names the player"}
        token={token}
        onToken={onToken}
      />
      <fieldset class="segments" disabled={token !== ""}>
        <legend>Made by</legend>
        {["human", "model"].map((one) => (
          <label key={one}>
            <input type="radio" name="kind" value={one} checked={kind === one} onChange={() => setKind(one)} />
            <span>{one === "human" ? "A human" : "A model"}</span>
          </label>
        ))}
      </fieldset>
      <Faults id={`${id}-faults`} faults={faults} />
      <button type="submit" class="button primary" disabled={sending || benchmark.state !== "open"}>
        {benchmark.state !== "open" ? "Not open" : sending ? "Handing in …" : "Hand in"}
      </button>
    </form>
  );
}
