/** `/join#CODE`: who opens a link gives a name, and gets a token. Only the button at the end uses the link. */

import { useRef, useState } from "preact/hooks";

import type { Fetched } from "../api/client.ts";
import type { OpenedInvitation, PlayerKind, TokenIssued } from "../api/generated/types.ts";
import { post } from "../api/views.ts";
import { mix, say } from "../languages/say.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { checkName, makeRandomDigits } from "../ui/lib/checks.ts";
import { Button } from "../ui/controls.tsx";
import { CheckField, Form, KINDS, Segments, TextField } from "../ui/forms/fields.tsx";
import { openPage } from "../ui/hooks/navigation.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { useRequest } from "../ui/forms/request.ts";
import { boardPath, submitPath } from "../ui/lib/route.ts";
import { NoIndex, Notice, Unavailable } from "../ui/states.tsx";
import { joinKey, keptKey, keptName, keptToken, tabToken, useToken } from "../ui/hooks/storage.ts";
import { Secret } from "../ui/tabs.tsx";

const ENDED: Readonly<Record<string, string>> = {
  used_up: say("It was used as often as it may be."),
  expired: say("It has expired."),
  revoked: say("Its maker took it back."),
};

export function JoinPage() {
  const code = useRef(location.hash.slice(1)).current;
  const [issued, setIssued] = useState<TokenIssued | null>(null);
  const polled = usePolled(code, (signal) =>
    post<OpenedInvitation>("/api/invitations/open", null, { code }, { signal }),
  );
  useTitle(say("Join"));
  if (issued) return <Joined issued={issued} />;
  const opened = polled.value;
  if (!opened) {
    const missing = say("No invitation has this link. Copy the whole link, or ask for a new one.");
    return <Unavailable {...polled} missing={missing} />;
  }
  const ended = ENDED[opened.state];
  // Somebody who joined a moment ago, and whose answer was lost, gets the token again.
  if (ended !== undefined && findKey(code) === null) {
    return (
      <Notice title={say("This link has ended")}>
        <NoIndex />
        <p>
          {ended} {say("Ask for a new one.")}
        </p>
        <Button href="/">{say("All boards")}</Button>
      </Notice>
    );
  }
  return <JoinForm code={code} opened={opened} onIssued={setIssued} />;
}

interface FormProps {
  readonly code: string;
  readonly opened: OpenedInvitation;
  readonly onIssued: (issued: TokenIssued) => void;
}

function JoinForm({ code, opened, onIssued }: FormProps) {
  const { member, player_name: player } = opened;
  const [kind, setKind] = useState<PlayerKind>("human");
  const joining = useJoining(code, opened, onIssued);
  const { name, takesAlong, stays, accepted, field, change, errors, busy, join } = joining;
  const title = opened.title ?? opened.benchmarks.join(", ");
  const rules = Object.entries(opened.rules);
  const isNamed = member || player === null;
  const wish = { ...(isNamed ? { name: name.trim() } : {}), ...(player === null ? { kind } : {}) };
  return (
    <div class="page">
      <NoIndex />
      <h1>{player === null ? mix("Join {title}", { title: <bdi>{title}</bdi> }) : <bdi>{player}</bdi>}</h1>
      <p class="lead">{describeJoining(opened)}</p>
      <Form
        action={player !== null && !member ? say("Get the token") : say("Join")}
        disabled={busy}
        errors={errors}
        beside={
          player === null &&
          joining.token !== "" && (
            <Button disabled={busy} onClick={() => void join({}, joining.token)}>
              {say("Join as the player of my token")}
            </Button>
          )
        }
        onSend={() => join(wish, null)}
      >
        {isNamed && (
          <TextField
            label={say("Name")}
            hint={member ? say("only your team sees it") : say("as the board shows it: yours, or your team’s")}
            autocomplete="nickname"
            value={name}
            aria-invalid={field === "name"}
            onText={(text) => change({ name: text })}
          />
        )}
        {player === null && <Segments legend={say("You are")} options={KINDS} value={kind} onChange={setKind} />}
        {joining.playerKey !== null && (
          <CheckField checked={takesAlong} onCheck={(checked) => change({ takesAlong: checked })}>
            {say("Take along what I submitted as a guest under this name")}
            <span class="fine">
              {" "}
              {say("Name and kind as then. Afterwards your token counts, not your player key.")}
            </span>
          </CheckField>
        )}
        <CheckField checked={stays} onCheck={(checked) => change({ stays: checked })}>
          {say("Keep the token in this browser")}
          <span class="fine"> {say("Everybody who uses this browser can then submit as you.")}</span>
        </CheckField>
        {rules.map(([benchmark, text]) => (
          <Rules key={benchmark} text={text} />
        ))}
        {rules.length > 0 && (
          <CheckField
            checked={accepted}
            aria-invalid={field === "rules"}
            onCheck={(checked) => change({ accepted: checked })}
          >
            {say("I accept the rules")}
          </CheckField>
        )}
      </Form>
    </div>
  );
}

function describeJoining({ member, player_name: player }: OpenedInvitation): string {
  if (member) return say("You become a member of this team. Its members share one row and one quota.");
  return player === null
    ? say("You get a token: a secret by which your results come under your name.")
    : say("You get a new token for this player. The one that was lost ends.");
}

/** Return what was entered, what changes it and joins with it, and what is wrong. */
function useJoining(code: string, { player_name, uses, rules }: OpenedInvitation, onIssued: FormProps["onIssued"]) {
  const [token, keepToken] = useToken();
  const playerKey = player_name === null ? keptKey.find() : null;
  const [entered, setEntered] = useState({
    name: (playerKey && keptName.find()) ?? "",
    takesAlong: true,
    // A link of one use cannot be used again once its token is lost with the tab.
    stays: uses === 1,
    accepted: false,
  });
  const { errors, setErrors, busy, send } = useRequest();
  // Which field the errors are about; null if none in particular.
  const [field, setField] = useState<"name" | "rules" | null>(null);
  const join = async (wish: Readonly<Record<string, string>>, credential: string | null): Promise<void> => {
    const { name, takesAlong, stays, accepted } = entered;
    const wrong = "name" in wish ? (name.trim() === "" ? say("Give a name.") : checkName(name)) : null;
    const isRefused = Object.keys(rules).length > 0 && !accepted;
    setField(wrong !== null ? "name" : isRefused ? "rules" : null);
    if (wrong !== null) return setErrors([wrong]);
    if (isRefused) return setErrors([say("Accept the rules to join.")]);
    const own = takesAlong && credential === null ? playerKey : null;
    // A repeat with the same key gets the same token, and uses nothing up.
    const headers = { "Idempotency-Key": findKey(code) ?? makeKey(code) };
    const body = { code, ...wish, accept_rules: accepted };
    const request = post<TokenIssued>("/api/invitations/join", own ?? credential, body, { headers });
    const issued = await send(request);
    if (!issued) return setField(isAboutName(await request) ? "name" : null);
    joinKey.keep("");
    history.replaceState(null, "", "/join");
    tabToken.keep("");
    if (stays) keptToken.keep(issued.secret);
    keepToken(issued.secret);
    onIssued(issued);
  };
  const change = (members: Partial<typeof entered>): void => setEntered((before) => ({ ...before, ...members }));
  return { ...entered, change, token, playerKey, field, errors, busy, join };
}

function isAboutName(fetched: Fetched<unknown>): boolean {
  const about = fetched.kind === "rejected" ? fetched.problem.errors?.[0] : undefined;
  return (about?.parameter ?? about?.pointer)?.endsWith("name") ?? false;
}

/** The rules of a benchmark, or the link to them. */
const Rules = ({ text }: { readonly text: string }) =>
  /^https?:\/\/\S+$/.test(text) ? (
    <p>
      <a href={text} rel="noopener" target="_blank">
        {say("Read the rules")}
      </a>
    </p>
  ) : (
    <p>
      <bdi>{text}</bdi>
    </p>
  );

/** The token, which no other page shows. */
function Joined({ issued: { secret, name, token } }: { readonly issued: TokenIssued }) {
  const [benchmark] = token.benchmarks;
  const next = benchmark === undefined ? "/tokens" : submitPath(benchmark);
  return (
    <div class="page">
      <NoIndex />
      <h1>{say("You are in")}</h1>
      <p class="lead">
        {mix("This is the token of {name}. It is shown only this once: store it where you store passwords.", {
          name: <bdi>{token.member ?? name}</bdi>,
        })}
      </p>
      <Secret label={say("the token")} text={secret} />
      {/* Browsers offer to keep what is in a form with a name and a password once it is sent and gone. */}
      <Form
        action={benchmark === undefined ? say("Tokens and team") : say("Submit a result")}
        beside={
          benchmark !== undefined && (
            <>
              <Button href={boardPath(benchmark)}>{say("See the board")}</Button>
              <Button href="/tokens">{say("Tokens and team")}</Button>
            </>
          )
        }
        onSend={() => openPage(next)}
      >
        <TextField label={say("Name")} hint="" autocomplete="username" value={token.member ?? name} />
        <TextField label={say("Token")} hint="" type="password" autocomplete="new-password" value={secret} />
      </Form>
    </div>
  );
}

/** Return the key of this tab's request, kept with the code that it is for: a repeat gets the same token. */
function findKey(code: string): string | null {
  const [stored, key = null] = (joinKey.find() ?? "").split(" ");
  return stored === code ? key : null;
}

function makeKey(code: string): string {
  const key = makeRandomDigits();
  joinKey.keep(`${code} ${key}`);
  return key;
}
