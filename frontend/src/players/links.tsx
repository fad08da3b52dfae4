/** The links of invitations: a form that makes one, the new link, and the list of all. */

import { useId, useState } from "preact/hooks";

import type { InvitationMade, InvitationsMailed, InvitationView, Scope } from "../api/generated/types.ts";
import { fetchInvitations, makeInvitation, post } from "../api/views.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { Awaited } from "../ui/facts.tsx";
import { CheckField, Field, Form, FormErrors, readField, TextField } from "../ui/forms/fields.tsx";
import { useRequest } from "../ui/forms/request.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { formatTime } from "../ui/lib/format.ts";
import { playerPath } from "../ui/lib/route.ts";
import { Secret } from "../ui/tabs.tsx";

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
const NUMBER = { inputMode: "numeric", maxLength: 3 } as const;

/** The links by which others join an owner's benchmark. */
export function Invitations({ token, benchmark }: { readonly token: string; readonly benchmark: string }) {
  const polled = usePolled(benchmark, (signal) => fetchInvitations(token, benchmark, signal));
  if (!polled.value) return <Awaited list={polled} />;
  const { invitations: links, names } = polled.value;
  return <Links {...{ token, benchmark, links, names }} onChange={polled.retry} />;
}

interface LinkProps {
  readonly token: string;
  /** The benchmark whose owner makes links; null: members of the token's player are invited. */
  readonly benchmark: string | null;
  readonly links: readonly InvitationView[];
  /** How the players who came by them are named, by their ids. */
  readonly names?: Readonly<Record<string, string>>;
  readonly onChange: () => void;
}

/** A form that makes a link, or mails many, and the list of links, each with a button that takes it back. */
export function Links({ token, benchmark, links, names = {}, onChange }: LinkProps) {
  const { errors, send } = useRequest();
  const revoke = async ({ invitation }: InvitationView, tokens: boolean): Promise<void> => {
    if (tokens && !confirm(say("End the tokens that came by this link? Who had one needs a new link."))) return;
    const [owner, wish] = benchmark === null ? [""] : [`/benchmarks/${benchmark}`, { tokens }];
    if (await send(post<object>(`/api${owner}/invitations/${invitation}/revoke`, token, wish))) onChange();
  };
  return (
    <>
      <LinkForm {...{ token, benchmark, onChange }} />
      {links.length > 0 && (
        <ul class="plain-list" aria-label={say("Links")}>
          {links.map((link) => (
            <li key={link.invitation}>
              <LinkLine {...{ link, benchmark, names }} />
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
      <FormErrors errors={errors} />
    </>
  );
}

/** The form: with addresses each gets a link of its own by mail, without any one link is shown. */
function LinkForm({ token, benchmark, onChange }: Pick<LinkProps, "token" | "benchmark" | "onChange">) {
  const id = useId();
  const [addresses, setAddresses] = useState("");
  const [allowed, setAllowed] = useState<readonly Scope[]>(["submit"]);
  const [made, setMade] = useState<InvitationMade | null>(null);
  const [count, setCount] = useState<number | null>(null);
  const { errors, setErrors, busy, send } = useRequest();
  const isMail = addresses.trim() !== "";
  const mail = async (owned: string, wish: object): Promise<void> => {
    const lines = addresses.split("\n");
    const url = `/api/benchmarks/${owned}/invite/mail`;
    const mailed = await send(post<InvitationsMailed>(url, token, { ...wish, addresses: lines }));
    if (!mailed) return;
    setCount(mailed.invitations.length);
    setErrors(mailed.unread.map(({ detail }) => detail));
    setAddresses(mailed.unread.map(({ line }) => lines[line - 1]).join("\n")); // to be corrected
    onChange();
  };
  const make = async (form: HTMLFormElement): Promise<void> => {
    setMade(null);
    setCount(null);
    const wish = { days: Number(readField(form, "days")), note: readField(form, "note") };
    const owned = benchmark === null ? wish : { ...wish, allows: allowed };
    if (isMail && benchmark !== null) return mail(benchmark, owned);
    setMade(await send(makeInvitation(token, benchmark, { ...owned, uses: Number(readField(form, "uses")) })));
    onChange();
  };
  return (
    <Form
      action={isMail ? say("Mail the links") : say("Make a link")}
      errors={errors}
      disabled={busy}
      onSend={make}
      after={
        <div role="status">
          {made && (
            <>
              <Secret label={say("the link")} text={location.origin + made.path} />
              <p class="fine">{say("It is shown only this once. Everybody who has it can join.")}</p>
            </>
          )}
          {count !== null && say("{count} link is on its way.|{count} links are on their way.", { count })}
        </div>
      }
    >
      <TextField
        label={say("How many")}
        hint={say("may come by the link")}
        name="uses"
        {...NUMBER}
        defaultValue="1"
        disabled={isMail}
      />
      <TextField label={say("Days")} hint={say("that it works")} name="days" {...NUMBER} defaultValue="14" />
      <TextField label={say("Note")} hint={say("what you call the link; nobody else sees it")} name="note" />
      {benchmark !== null && (
        <>
          <Rights allowed={allowed} onChange={setAllowed} />
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
              value={addresses}
              aria-invalid={isMail && errors.length > 0}
              onInput={(event) => setAddresses(event.currentTarget.value)}
            />
          </Field>
        </>
      )}
    </Form>
  );
}

interface RightsProps {
  readonly allowed: readonly Scope[];
  readonly onChange: (allowed: readonly Scope[]) => void;
}

/** What the tokens of a link allow: as much of it as is ticked. */
const Rights = ({ allowed, onChange }: RightsProps) => (
  <fieldset class="work">
    <legend>{say("They may")}</legend>
    {ALLOWED.map(([scope, label]) => (
      <CheckField
        key={scope}
        checked={allowed.includes(scope)}
        onCheck={(may) => onChange([...allowed.filter((each) => each !== scope), ...(may ? [scope] : [])])}
      >
        {label}
      </CheckField>
    ))}
  </fieldset>
);

/** What a link is called, how far it has come, and who used it. */
const LinkLine = ({
  link,
  benchmark,
  names,
}: Required<Pick<LinkProps, "benchmark" | "names">> & { readonly link: InvitationView }) => (
  <span>
    <bdi>{link.address ?? (link.note || link.invitation)}</bdi> <span class="pill plain">{stateOf(link)}</span>{" "}
    <span class="fine">
      {say("used {used} of {uses}", { used: link.used.length, uses: link.uses })}{" "}
      {benchmark !== null &&
        link.used.map((player, index) => (
          <>
            {index > 0 && ", "}
            <a href={playerPath(benchmark, player)}>
              <bdi>{names[player]}</bdi>
            </a>
          </>
        ))}{" "}
      · {say("until {time}", { time: formatTime(Date.parse(link.ends_at)) })}
    </span>
  </span>
);

/** Return how far a link has come: of one that was mailed, and is open, what became of the mail. */
const stateOf = ({ state, mail }: InvitationView): string =>
  state !== "open" || mail === null ? STATES[state] : MAILED[mail];
