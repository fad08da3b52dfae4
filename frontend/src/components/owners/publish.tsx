/** A form that publishes a benchmark's folder, and the report of its check. */

import { useId, useState } from "preact/hooks";

import { publishBundle } from "../../api/owners.ts";
import type { CheckedExample, PublicationView } from "../../api/generated/types.ts";
import { mix, say } from "../../languages/say.ts";
import { explainProblem } from "../../lib/checks.ts";
import { saveFile } from "../../lib/download.ts";
import { boardPath } from "../../lib/route.ts";
import { packFiles } from "../../api/zip.ts";
import { Button } from "../controls.tsx";
import { Field, FormErrors } from "../fields.tsx";
import { Snippet } from "../tabs.tsx";

export function PublishTab({ token }: { readonly token: string }) {
  const id = useId();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [report, setReport] = useState<PublicationView | null>(null);
  const [sending, setSending] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const [benchmark] = files[0]?.webkitRelativePath.split("/") ?? [];
    if (!benchmark) return setProblems([say("Choose the benchmark’s folder.")]);
    setProblems([]);
    setReport(null);
    setSending(true);
    const packed = await Promise.all(
      files.map(async (file) => ({ path: pathOf(file), content: new Uint8Array(await file.arrayBuffer()) })),
    );
    const bundle = new File([packFiles(packed)], `${benchmark}.zip`, { type: "application/zip" });
    const fetched = await publishBundle(benchmark, bundle, token, new AbortController().signal);
    setSending(false);
    if (fetched.kind === "ok") setReport(fetched.value);
    else
      setProblems(
        fetched.kind === "rejected" ? explainProblem(fetched.problem) : [say("It was not published; try again.")],
      );
  };
  return (
    <form class="submit-form" onSubmit={send} noValidate>
      <Field
        id={id}
        label={say("Folder")}
        hint={say("with benchmark.yaml, the ground truth, the script and the examples")}
      >
        <input
          id={id}
          type="file"
          ref={(input) => {
            if (input) input.webkitdirectory = true;
          }}
          disabled={sending}
          onChange={(event) => setFiles([...(event.currentTarget.files ?? [])].filter(isVisible))}
        />
      </Field>
      <FormErrors errors={problems} />
      <p class="labels">
        <button type="submit" class="button primary" disabled={sending}>
          {sending ? say("Checking …") : say("Check and publish")}
        </button>
      </p>
      <div role="status">{report && <Report report={report} />}</div>
    </form>
  );
}

const pathOf = (file: File): string => file.webkitRelativePath.split("/").slice(1).join("/");

/** Return whether a file may be of the benchmark: none of a name that begins with a dot, and nothing compiled. */
const isVisible = (file: File): boolean =>
  !pathOf(file)
    .split("/")
    .some((name) => name.startsWith(".") || name === "__pycache__");

const Report = ({ report }: { readonly report: PublicationView }) => (
  <>
    <h2>
      {report.status !== "published"
        ? say("Not published")
        : report.changed
          ? say("Published")
          : say("Published already")}
    </h2>
    {report.detail && <p>{report.detail}</p>}
    <Lines lines={report.faults} />
    {report.examples.map((example) => (
      <Example key={example.name} example={example} />
    ))}
    {report.changes.length > 0 && <p>{say("Changed: {names}", { names: report.changes.join(", ") })}</p>}
    {report.next && (
      <p>
        {mix("The board still shows version {old}. To score all results under version {new}: {command}", {
          old: report.version,
          new: report.next,
          command: <code>laurel rescore {report.benchmark}</code>,
        })}
      </p>
    )}
    {report.salt && (
      <p>
        {say("Save the salt of the version in the folder, and show it to nobody.")}{" "}
        <Button small onClick={() => saveFile("salt.txt", "text/plain", `${report.salt}\n`)}>
          {say("Download {file}", { file: "salt.txt" })}
        </Button>
      </p>
    )}
    {report.status === "published" && (
      <p>
        <a href={boardPath(report.benchmark)}>{say("See the board")}</a>
      </p>
    )}
  </>
);

const Example = ({ example: { name, outcome, differences, stdout, stderr } }: { readonly example: CheckedExample }) => (
  <>
    <p>
      {differences.length > 0 ? "✗" : "✓"} <code>{name}</code> <span class="fine">{outcome}</span>
    </p>
    <Lines lines={differences} />
    {differences.length > 0 && (stdout || stderr) && (
      <Snippet label={say("Output of {name}", { name })} text={stdout + stderr} />
    )}
  </>
);

const Lines = ({ lines }: { readonly lines: readonly string[] }) => (
  <ul class="form-errors">
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);
