/** The links of invitations: a form that makes one, the new link, and the list of all. */

import { useState } from "preact/hooks";

import type { Fetched } from "../../api/client.ts";
import type { InvitationMade, InvitationView, Scope } from "../../api/generated/types.ts";
import { makeInvitation, revokeInvitation } from "../../api/joining.ts";
import { say } from "../../languages/say.ts";
import { formatTime } from "../../lib/format.ts";
import { playerPath } from "../../lib/route.ts";
import { Button, Segments } from "../controls.tsx";
import { FormErrors, readErrors, TextField } from "../fields.tsx";
import { CopyButton } from "../tabs.tsx";
import { MailForm } from "./mail_form.tsx";

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
  readonly onChange: () => void;
}

/** A form that makes a link, and the list of links, each with a button that takes it back. */
export function Links({ token, benchmark, links, onChange }: LinkProps) {
  const [uses, setUses] = useState("1");
  const [note, setNote] = useState("");
  const [allowed, setAllowed] = useState<Scope>("submit");
  const [made, setMade] = useState<InvitationMade | null>(null);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const take = (fetched: Fetched<unknown>): boolean => {
    setErrors(readErrors(fetched));
    if (fetched.kind === "ok") onChange();
    return fetched.kind === "ok";
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const wish = { uses: Number(uses), note, ...(benchmark === null ? {} : { allows: [allowed] }) };
    const fetched = await makeInvitation(token, benchmark, wish);
    if (take(fetched) && fetched.kind === "ok") setMade(fetched.value);
  };
  const address = made && location.origin + made.path;
  return (
    <>
      <form class="submit-form" onSubmit={send} noValidate>
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
        <FormErrors errors={errors} />
        <p>
          <button type="submit" class="button primary">
            {say("Make a link")}
          </button>
        </p>
        <div role="status">
          {address && (
            <>
              <p class="receipt-line">
                <code>{address}</code> <CopyButton label={say("the link")} text={address} />
              </p>
              <p class="fine">{say("It is shown only this once. Everybody who has it can join.")}</p>
            </>
          )}
        </div>
      </form>
      {benchmark !== null && <MailForm token={token} benchmark={benchmark} onMail={onChange} />}
      {links.length > 0 && (
        <ul class="plain-list" aria-label={say("Links")}>
          {links.map((link) => (
            <li key={link.invitation}>
              <span>
                <bdi>{link.address ?? (link.note || link.invitation)}</bdi>{" "}
                <span class="pill plain">{stateOf(link)}</span>{" "}
                <span class="fine">
                  {say("used {used} of {uses}", { used: link.used.length, uses: link.uses })}{" "}
                  {benchmark !== null &&
                    link.used.map((player) => (
                      <>
                        <a href={playerPath(benchmark, player)}>{player}</a>{" "}
                      </>
                    ))}
                  · {say("until {time}", { time: formatTime(Date.parse(link.ends_at)) })}
                </span>
              </span>
              {link.state === "open" && (
                <Button small onClick={() => void revokeInvitation(token, benchmark, link.invitation).then(take)}>
                  {say("Take back")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Return how far a link has come: of one that was mailed, and is open, what became of the mail. */
function stateOf({ state, mail, opened_at }: InvitationView): string {
  if (state !== "open" || mail === null) return STATES[state];
  return opened_at === null ? MAILED[mail] : say("opened");
}
