/** Buttons that score all results again: as was published last, or by the hidden rows too, which is the final. */

import { useState } from "preact/hooks";

import type { FinalView, HeadFinal, RescoreView } from "../../api/generated/types.ts";
import { post } from "../../api/views.ts";
import { mix, say } from "../../languages/say.ts";
import { CheckField, Form, FormErrors, readField, readReason, ReasonField, TextField } from "../../ui/forms/fields.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { openPage } from "../../ui/hooks/navigation.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { submissionPath } from "../../ui/lib/paths.ts";

const SECONDS = 5;
const AGAIN = say("Score all results again");
const FINAL = say(
  "Reveal the final? All results that came in time are scored by the hidden rows too, and the board then ranks by these. Nobody can undo that.",
);

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly final: HeadFinal | null | undefined;
  /** The version to which the board is about to switch, or "". */
  readonly next: string;
  readonly onStarted: (next: string) => void;
}

export function Rescore({ token, benchmark, final, next, onStarted }: Props) {
  const { errors, send } = useRequest();
  const [isWithout, setWithout] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const hasFinal = final?.is_shown === false;
  const reveal = (without_failed: boolean) =>
    post<FinalView>(`/api/benchmarks/${benchmark}/reveal`, token, { without_failed });
  // A repeated request says what the final waits for.
  const polled = usePolled(
    hasFinal && isAsked ? benchmark : null,
    () => reveal(false),
    () => SECONDS,
  );
  const start = async (form?: HTMLFormElement): Promise<void> => {
    const isFinal = form === undefined;
    if (!confirm(isFinal ? FINAL : `${AGAIN}?`)) return;
    const ask = isFinal
      ? reveal(isWithout)
      : post<RescoreView>(`/api/benchmarks/${benchmark}/rescore`, token, readReason(form));
    const started = await send<FinalView | RescoreView>(ask);
    if (!started) return;
    setAsked(isFinal);
    onStarted(started.next ?? "");
  };
  return (
    <div class="stack">
      <Form action={AGAIN} isPlain onSend={start}>
        <ReasonField hint={say("everybody can read it")} />
      </Form>
      {hasFinal && (
        <Form action={say("Reveal the final")} isPlain onSend={() => start()}>
          <h2>{say("Final")}</h2>
          <CheckField checked={isWithout} onCheck={setWithout}>
            {say("without results that failed by no fault of their players")}
          </CheckField>
        </Form>
      )}
      <FormErrors errors={errors} />
      {next !== "" && <LookAhead benchmark={benchmark} next={next} />}
      <p role="status">
        {polled.value?.waits ??
          (next !== "" &&
            mix("The board switches to version {new} once all results are scored.", { new: <code>{next}</code> }))}
      </p>
    </div>
  );
}

/** Leads to what the version that comes next says of one submission. */
const LookAhead = ({ benchmark, next }: Pick<Props, "benchmark" | "next">) => (
  <Form
    action={say("See it under the next version")}
    isPlain
    onSend={(form) => openPage(`${submissionPath(benchmark, readField(form, "submission"))}?version=${next}`)}
  >
    <TextField label={say("Submission")} hint={say("its id, as its page has it")} name="submission" maxLength={36} />
  </Form>
);
