/** Starts a benchmark from a table with the right answers: its folder is made, and checked as one that is chosen. */

import { useState } from "preact/hooks";

import type { FolderView } from "../../api/generated/types.ts";
import { post } from "../../api/views.ts";
import { mix, say } from "../../languages/say.ts";
import { CheckField, FileField, Form, readField, TextField } from "../../ui/forms/fields.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { describeSize } from "../../ui/lib/checks.ts";
import type { Bundle } from "./folder.ts";
import { packFiles } from "../../ui/lib/zip.ts";

const MAX_BYTES = 900_000;
const FIELDS = [
  ["id", say("Id"), say("of a-z, 0-9 and -; it will be in the address of the board")],
  ["metric", say("Metric"), say("such as rmse, accuracy or roc_auc")],
  ["column", say("Column of ids"), say("guessed if you enter none")],
  ["target", say("Column of answers"), say("guessed if you enter none")],
] as const;

interface Props {
  readonly token: string;
  readonly disabled: boolean;
  /** Called with the folder as a ZIP, and with what was guessed of the table. */
  readonly onStart: (bundle: Bundle, notes: readonly string[]) => void;
}

export function Start({ token, disabled, onStart }: Props) {
  const [table, setTable] = useState<File | null>(null);
  const [isContest, setIsContest] = useState(false);
  const { errors, setErrors, busy, send } = useRequest();
  const start = async (form: HTMLFormElement): Promise<void> => {
    const [id = "", metric, column, target] = FIELDS.map(([name]) => readField(form, name));
    if (id === "" || table === null) return setErrors([say("Enter an id, and choose a table.")]);
    if (table.size > MAX_BYTES) return setErrors([describeSize(table, MAX_BYTES)]);
    const asked = { metric, id: column || null, target: target || null };
    const format = table.name.endsWith(".tsv") ? "tsv" : "csv";
    const wish = { ...asked, solution: await readText(table), form: format };
    const made = await send(post<FolderView>(`/api/benchmarks/${id}/solution`, token, wish));
    if (!made) return;
    const open = isContest ? "submissions:\n  anonymous: false\n" : "submissions:\n";
    const files = Object.entries(made.files).map(([path, text]) => ({
      path,
      content: new TextEncoder().encode(path === "benchmark.yaml" ? text.replace("submissions:\n", open) : text),
    }));
    const file = new File([packFiles(files)], `${id}.zip`, { type: "application/zip" });
    onStart({ name: id, file }, made.notes);
  };
  return (
    <Form action={say("Make and check it")} errors={errors} disabled={disabled || busy} onSend={start}>
      <FileField name={table?.name ?? ""} label={say("Choose solution.csv")} accept=".csv,.tsv" onFile={setTable} />
      {FIELDS.map(([name, label, hint]) => (
        <TextField key={name} name={name} label={label} hint={hint} />
      ))}
      <CheckField checked={isContest} onCheck={setIsContest}>
        {say("A contest: players need a token, so nobody gets more tries by another name.")}
      </CheckField>
      <p class="fine">
        {mix("Guides: {table}, {contest}, {files}. Templates: {game}, {script}.", {
          table: <a href="/docs/tables">{say("tables and metrics")}</a>,
          contest: <a href="/docs/contest">{say("a contest")}</a>,
          files: <a href="/docs/benchmarks">{say("all files")}</a>,
          game: <a href="/sdk/fields.zip">{say("a game")}</a>,
          script: <a href="/sdk/script.zip">{say("a program that scores")}</a>,
        })}
      </p>
    </Form>
  );
}

/** Return the text of a table, as a spreadsheet of Windows may save it, too. */
async function readText(file: File): Promise<string> {
  const text = await file.text();
  return text.includes("\ufffd") ? new TextDecoder("windows-1252").decode(await file.arrayBuffer()) : text;
}
