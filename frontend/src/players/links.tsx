/** The links of invitations: a form that makes one, the new link, and the list of all. */

import { useId, useState } from "preact/hooks";

import type { InvitationMade, InvitationView, Rows, Scope } from "../api/generated/types.ts";
import { namePlayer } from "../boards/rows/ranks.ts";
import { say } from "../languages/say.ts";
import { Button, Segments } from "../ui/controls.tsx";
import { Field, Form, TextField } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";
import { formatTime } from "../ui/lib/format.ts";
import { playerPath } from "../ui/lib/route.ts";
import { Secret } from "../ui/tabs.tsx";
import { mailInvitations, makeInvitation, revokeInvitation } from "./requests.ts";

const STATES: Readonly<Record<InvitationView["state"], string>> = {
  open: say("open"),
  used_up: say("used up"),
  expired: say("expired"),
  revoked: say("taken back"),
};
const MAILED: Readonly<Record<NonNullable<InvitationView["mail"]>, string>> = {
  waiting: say("waits to be mailed"),
  sent: say("mailed"),
  refused: say("not mailed"),
  bounced: say("mail came back"),
  unknown: say("not known"),
};
const ALLOWED: readonly (readonly [Scope, string])[] = [
  ["submit", say("submit results")],
  ["host", say("host a game")],
  ["own", say("own the benchmark")],
];

interface LinkProps {
  readonly token: string;
  /** The benchmark whose owner makes links; null: members of the token's player are invited. */
  readonly benchmark: string | null;
  readonly links: readonly InvitationView[];
  /** The rows of its board, which name who came by a link. */
  readonly rows?: Rows | undefined;
  readonly onChange: () => void;
}

/** A form that makes a link, and the list of links, each with a button that takes it back. */
export function Links({ token, benchmark, links, rows, onChange }: LinkProps) {
  const [uses, setUses] = useState("1");
  const [note, setNote] = useState("");
  const [allowed, setAllowed] = useState<Scope>("submit");
  const [made, setMade] = useState<InvitationMade | null>(null);
  const { errors, send } = useRequest();
  const make = async (): Promise<void> => {
    const wish = { uses: Number(uses), note, ...(benchmark === null ? {} : { allows: [allowed] }) };
    const invitation = await send(makeInvitation(token, benchmark, wish));
    if (!invitation) return;
    setMade(invitation);
    onChange();
  };
  const revoke = async ({ invitation }: InvitationView, tokens: boolean): Promise<void> => {
    if (tokens && !confirm(say("End the tokens that came by this link? Who had one needs a new link."))) return;
    if (await send(revokeInvitation(token, benchmark, invitation, tokens))) onChange();
  };
  return (
    <>
      <Form
        action={say("Make a link")}
        errors={errors}
        onSend={make}
        after={
          <div role="status">
            {made && (
              <>
                <Secret label={say("the link")} text={location.origin + made.path} />
                <p class="fine">{say("It is shown only this once. Everybody who has it can join.")}</p>
              </>
            )}
          </div>
        }
      >
        <TextField
          label={say("How many")}
          hint={say("may come by the link, within 14 days")}
          inputMode="numeric"
          maxLength={3}
          value={uses}
          onText={setUses}
        />
        <TextField
          label={say("Note")}
          hint={say("what you call the link; nobody else sees it")}
          value={note}
          onText={setNote}
        />
        {benchmark !== null && (
          <Segments legend={say("They may")} options={ALLOWED} value={allowed} onChange={setAllowed} />
        )}
      </Form>
      {benchmark !== null && <MailForm token={token} benchmark={benchmark} onMail={onChange} />}
      {links.length > 0 && (
        <ul class="plain-list" aria-label={say("Links")}>
          {links.map((link) => (
            <li key={link.invitation}>
              <LinkLine {...{ link, benchmark, rows }} />
              {link.state === "open" && (
                <Button small onClick={() => void revoke(link, false)}>
                  {say("Take back")}
                </Button>
              )}
              {benchmark !== null && link.used.length > 0 && (
                <Button small onClick={() => void revoke(link, true)}>
                  {say("End its tokens")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What a link is called, how far it has come, and who used it. */
const LinkLine = ({
  link,
  benchmark,
  rows,
}: Pick<LinkProps, "benchmark" | "rows"> & { readonly link: InvitationView }) => (
  <span>
    <bdi>{link.address ?? (link.note || link.invitation)}</bdi> <span class="pill plain">{stateOf(link)}</span>{" "}
    <span class="fine">
      {say("used {used} of {uses}", { used: link.used.length, uses: link.uses })}{" "}
      {benchmark !== null &&
        link.used.map((player) => (
          <>
            <a href={playerPath(benchmark, player)}>
              <bdi>{rows ? namePlayer(rows, player).name : player}</bdi>
            </a>{" "}
          </>
        ))}
      · {say("until {time}", { time: formatTime(Date.parse(link.ends_at)) })}
    </span>
  </span>
);

/** Return how far a link has come: of one that was mailed, and is open, what became of the mail. */
function stateOf({ state, mail, opened_at }: InvitationView): string {
  if (state !== "open" || mail === null) return STATES[state];
  return opened_at === null ? MAILED[mail] : say("opened");
}

interface MailProps {
  readonly token: string;
  readonly benchmark: string;
  readonly onMail: () => void;
}

export function MailForm({ token, benchmark, onMail }: MailProps) {
  const id = useId();
  const [text, setText] = useState("");
  const [count, setCount] = useState<number | null>(null);
  const { errors, setErrors, busy, send } = useRequest();
  const mail = async (): Promise<void> => {
    const lines = text.split("\n");
    const mailed = await send(mailInvitations(token, benchmark, lines));
    setCount(mailed && mailed.invitations.length);
    if (!mailed) return;
    setErrors(mailed.unread.map(({ detail }) => detail));
    setText(mailed.unread.map(({ line }) => lines[line - 1]).join("\n")); // to be corrected
    onMail();
  };
  return (
    <Form
      action={say("Mail the links")}
      errors={errors}
      disabled={busy}
      isPlain
      onSend={mail}
      after={
        <p role="status" class="fine">
          {count !== null && say("{count} link is on its way.|{count} links are on their way.", { count })}
        </p>
      }
    >
      <Field
        id={id}
        label={say("Addresses")}
        hint={say(
          "or the list of a class as Moodle, Canvas or Classroom export it; each gets a link of its own by mail",
        )}
      >
        <textarea
          id={id}
          rows={4}
          value={text}
          aria-invalid={errors.length > 0}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </Field>
    </Form>
  );
}
