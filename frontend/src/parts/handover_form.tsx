/** Hands in a result from the browser: a file or text, a name, and off it goes. */

import { useId, useRef, useState } from "preact/hooks";

import type { BenchmarkAnswer } from "../answers.ts";
import { postResult } from "../live/fetching.ts";
import { openPage } from "../live/navigation.ts";
import { makeId, receipts } from "../live/receipts.ts";
import { checkResult, formatBytes } from "../logic/result.ts";
import { submissionPath } from "../logic/route.ts";
import { Icon } from "./icons.tsx";

interface Props {
  readonly benchmark: BenchmarkAnswer;
  /** Most bytes of a result. */
  readonly limit: number;
}

export function HandoverForm({ benchmark, limit }: Props) {
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

  const take = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return;
    setFile(chosen.name);
    setFaults(
      chosen.size > limit
        ? [`${chosen.name} has ${formatBytes(chosen.size)}; at most ${formatBytes(limit)} are taken.`]
        : [],
    );
    setBody(chosen.size > limit ? "" : await chosen.text());
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!fields.current || sending) return;
    const data = new FormData(fields.current);
    const read = (name: string): string => String(data.get(name) ?? "").trim();
    const fault = checkResult(body, limit);
    if (fault !== null) {
      setFaults([fault]);
      return;
    }
    const handover = {
      benchmark: benchmark.id,
      body,
      player: read("player"),
      kind,
      part: read("part"),
      token: read("token"),
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
      case "refused": {
        const { detail, errors = [] } = fetched.problem;
        const places = errors.map((one) => [one.pointer ?? one.parameter, one.detail].filter(Boolean).join(": "));
        setFaults([...new Set([detail, ...places])]);
        break;
      }
      default:
        setFaults(["The server did not take the result. Nothing was lost: try again in a moment."]);
    }
  };

  return (
    <form ref={fields} class="handover" onSubmit={send} noValidate>
      <div
        class="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void take(event.dataTransfer?.files[0]);
        }}
      >
        <label class="button" for={`${id}-file`}>
          <Icon name="upload" />
          {file === "" ? "Choose a JSON file" : "Choose another file"}
        </label>
        <input
          id={`${id}-file`}
          class="unseen"
          type="file"
          accept=".json,application/json"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
        <span class="fine clip">{file === "" ? "or drop it here" : file}</span>
      </div>
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
      {anonymous ? (
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
          />
        </div>
      ) : (
        <div class="field">
          <label for={`${id}-token`}>
            Token <span class="fine">is sent with this result and not kept here</span>
          </label>
          <input id={`${id}-token`} name="token" type="password" autocomplete="off" placeholder="laurel_…" />
        </div>
      )}
      <fieldset class="segments">
        <legend>Made by</legend>
        {["human", "model"].map((one) => (
          <label key={one}>
            <input type="radio" name="kind" value={one} checked={kind === one} onChange={() => setKind(one)} />
            <span>{one === "human" ? "A human" : "A model"}</span>
          </label>
        ))}
      </fieldset>
      <div role="alert" id={`${id}-faults`}>
        {faults.length > 0 && (
          <ul class="faults">
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        )}
      </div>
      <button type="submit" class="button primary" disabled={sending || benchmark.state !== "open"}>
        {benchmark.state !== "open" ? "Not open" : sending ? "Handing in …" : "Hand in"}
      </button>
    </form>
  );
}
