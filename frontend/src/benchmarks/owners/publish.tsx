/** Publishes a folder or ZIP in two steps: its check, with what would change, and then one button. */

import { useState } from "preact/hooks";

import type { Fetched } from "../../api/client.ts";
import type { CheckedExample, PublicationTicket, PublicationView } from "../../api/generated/types.ts";
import { get, post } from "../../api/views.ts";
import { sendForm } from "../../batches/requests.ts";
import { mix, say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { ErrorList, FileField, Form, FormErrors, readReason, ReasonField, TextField } from "../../ui/forms/fields.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { saveFile } from "../../ui/lib/download.ts";
import { listFiles } from "../../ui/lib/folder.ts";
import { boardPath } from "../../ui/lib/route.ts";
import { Snippet } from "../../ui/tabs.tsx";
import { makeBundle, type Bundle } from "./folder.ts";
import { Start } from "./start.tsx";

const POLL_MILLISECONDS = 1000;

type Report = PublicationView & { readonly replaces: number };

interface Props {
  readonly token: string;
  /** Null: a new benchmark, whose id the visitor gives. */
  readonly benchmark: string | null;
  /** The version that the board shows. */
  readonly version?: string | undefined;
  readonly onPublished: () => void;
}

export function Publish({ token, benchmark, version, onPublished }: Props) {
  const [bundle, setBundle] = useState<Bundle | null>(null);
  const [id, setId] = useState("");
  const [notes, setNotes] = useState<readonly string[] | null>(null);
  const { errors, setErrors, send: request } = useRequest();
  const [report, setReport] = useState<Report | null>(null);
  const [busy, setBusy] = useState<"" | "check" | "publish">("");
  const target = benchmark ?? id;
  const send = async (chosen: Bundle, to: string, replaces: number | null, reason = {}): Promise<void> => {
    setErrors([]);
    setBusy(replaces === null ? "check" : "publish");
    const made = await request(sendBundle(token, to, chosen.file, { replaces, ...reason }));
    setBusy("");
    if (made) setReport(made);
    if (made?.status === "published") onPublished();
  };
  const take = async (from: FileList | DataTransfer): Promise<void> => {
    setErrors([]);
    setReport(null);
    setNotes(null);
    try {
      const chosen = await makeBundle(await listFiles(from));
      setBundle(chosen);
      setId(chosen.name);
      if (benchmark !== null) await send(chosen, benchmark, null);
    } catch (error) {
      setBundle(null);
      setErrors([(error as Error).message]);
    }
  };
  const start = (made: Bundle, guessed: readonly string[]): void => {
    setBundle(made);
    setId(made.name);
    setNotes(guessed);
    void send(made, made.name, null);
  };
  return (
    <div class="submit-form">
      {benchmark === null && (
        <>
          <Start token={token} disabled={busy !== ""} onStart={start} />
          <h3>{say("Or publish a folder that you have")}</h3>
        </>
      )}
      <FileField
        name={bundle?.file.name ?? ""}
        label={say("Choose a ZIP")}
        accept=".zip"
        disabled={busy !== ""}
        onFiles={take}
      />
      {benchmark === null && bundle && notes === null && (
        <Form action={say("Check it")} disabled={busy !== ""} onSend={() => send(bundle, id, null)}>
          <TextField
            label={say("Id")}
            hint={say("as in benchmark.yaml; it will be in the address of the board")}
            value={id}
            onText={setId}
          />
        </Form>
      )}
      <div>
        <FormErrors errors={errors} />
        <p role="status">{busy === "check" ? say("Checking …") : busy === "publish" && say("Publishing …")}</p>
      </div>
      {report && bundle && busy === "" && (
        <section aria-label={say("Report")} class="stack">
          {notes && <Made bundle={bundle} notes={notes} />}
          <ReportView version={version} report={report} isNew={benchmark === null} />
          {report.status === "checked" && report.changed && (
            <PublishForm report={report} onSend={(reason) => send(bundle, target, report.replaces, reason)} />
          )}
        </section>
      )}
    </div>
  );
}

/**
 * Upload a benchmark's ZIP, have it checked, and published if it replaces something; return the report.
 *
 * @param wish The number of what it replaces, as the check before saw it, null if it is only checked; and a reason.
 */
async function sendBundle(token: string, benchmark: string, bundle: File, wish: object): Promise<Fetched<Report>> {
  const address = `/api/benchmarks/${benchmark}/publications`;
  const ticket = await post<PublicationTicket>(address, token, { bytes: bundle.size });
  if (ticket.kind !== "ok") return ticket;
  const { start_url, status_url, replaces } = ticket.value;
  const { signal } = new AbortController();
  if ((await sendForm(ticket.value, bundle, signal, () => undefined)) !== null) return { kind: "failed" };
  let view = await post<PublicationView>(start_url, token, wish);
  while (view.kind === "ok" && (view.value.status === "checking" || view.value.status === "waiting")) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    view = await get<PublicationView>(status_url, token);
  }
  return view.kind === "ok" ? { kind: "ok", value: { ...view.value, replaces } } : view;
}

/** What was guessed of a table, and the folder, which its owner needs again. */
const Made = ({ bundle: { file }, notes }: { readonly bundle: Bundle; readonly notes: readonly string[] }) => (
  <>
    <ul>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
    <p>
      {say(
        "You need the folder for each change. Keep its salt.txt secret: without a salt the public version would tell anybody whose guesses are right.",
      )}{" "}
      <Button small onClick={() => saveFile(file.name, file.type, file)}>
        {say("Download {file}", { file: file.name })}
      </Button>
    </p>
  </>
);

interface PublishProps {
  readonly report: Report;
  readonly onSend: (reason: object) => unknown;
}

/** The button that publishes what was checked, with a reason for what changes for others. */
const PublishForm = ({ report, onSend }: PublishProps) => (
  <Form action={say("Publish")} onSend={(form) => onSend(readReason(form))}>
    {(report.next != null || report.changes.includes("closes")) && <ReasonField hint={say("everybody can read it")} />}
  </Form>
);

interface ReportProps {
  readonly report: PublicationView;
  readonly isNew: boolean;
  readonly version: string | undefined;
}

const ReportView = ({ report, isNew, version }: ReportProps) => (
  <>
    <h2>{titleOf(report)}</h2>
    {report.detail && report.faults.length === 0 && <p>{report.detail}</p>}
    <ErrorList errors={report.faults} />
    <ul class="plain-list work">
      {report.examples.map((example) => (
        <li key={example.name}>
          <Example example={example} />
        </li>
      ))}
    </ul>
    {report.changes.length > 0 && <p>{say("Changed: {names}", { names: report.changes.join(", ") })}</p>}
    {report.status === "checked" && report.replaced === null && <p>{say("It is a new benchmark.")}</p>}
    {report.next && report.next !== version && (
      <p>
        {report.status === "checked"
          ? say("Results score differently: the board changes once you have all of them scored again.")
          : mix("The board still shows version {old}, until all results are scored under version {new}.", {
              old: <code>{report.version}</code>,
              new: <code>{report.next}</code>,
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
      <p class="labels">
        <Button href={boardPath(report.benchmark)}>{say("See the board")}</Button>
        {isNew && <Button href={boardPath(`${report.benchmark}/owners`)}>{say("Its page for owners")}</Button>}
      </p>
    )}
  </>
);

function titleOf({ status, changed }: PublicationView): string {
  if (status !== "checked" && status !== "published") return say("Not published");
  if (!changed) return say("Published already");
  return status === "checked" ? say("Checked: ready to be published") : say("Published");
}

const Example = ({ example: { name, outcome, differences, stdout, stderr } }: { readonly example: CheckedExample }) => (
  <>
    <p>
      {differences.length > 0 ? "✗" : "✓"} <code>{name}</code> <span class="fine">{outcome}</span>
    </p>
    <ErrorList errors={differences} />
    {differences.length > 0 && (stdout || stderr) && (
      <Snippet label={say("Output of {name}", { name })} text={stdout + stderr} />
    )}
  </>
);
