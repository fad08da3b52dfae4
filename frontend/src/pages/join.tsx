/** `/join#CODE`: who opens a link gives a name, and gets a token. Only the button at the end uses the link. */

import { useId, useRef, useState } from "preact/hooks";

import type { OpenedInvitation, PlayerKind, TokenIssued } from "../api/generated/types.ts";
import { join, openInvitation } from "../api/joining.ts";
import { Button } from "../components/controls.tsx";
import { CheckField, Field, FormErrors, KindField, readErrors, TextField } from "../components/fields.tsx";
import { NoIndex, Notice, Unavailable } from "../components/states.tsx";
import { CopyButton } from "../components/tabs.tsx";
import { useTitle } from "../hooks/browser.ts";
import { openPage } from "../hooks/navigation.ts";
import { usePolled } from "../hooks/polling.ts";
import { playerKeys, playerNames } from "../hooks/receipts.ts";
import { keptToken, tabToken, useToken } from "../hooks/token.ts";
import { mix, say } from "../languages/say.ts";
import { checkName, makeRandomDigits } from "../lib/checks.ts";
import { boardPath, submitPath } from "../lib/route.ts";

const ENDED: Readonly<Record<string, string>> = {
  used_up: say("It was used as often as it may be."),
  expired: say("It has expired."),
  revoked: say("Its maker took it back."),
};

export function JoinPage() {
  const code = useRef(location.hash.slice(1)).current;
  const [issued, setIssued] = useState<TokenIssued | null>(null);
  const polled = usePolled(code, (signal) => openInvitation(code, signal));
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
  const [token, keepToken] = useToken();
  const { member, player_name: player } = opened;
  const playerKey = player === null ? playerKeys.find() : null;
  const [name, setName] = useState(() => (playerKey ? playerNames.find() : ""));
  const [takesAlong, setTakesAlong] = useState(true);
  const [kind, setKind] = useState<PlayerKind>("human");
  // A link of one use cannot be used again once its token is lost with the tab.
  const [stays, setStays] = useState(opened.uses === 1);
  const [accepted, setAccepted] = useState(false);
  const [sending, setSending] = useState(false);
  const [errors, setErrors] = useState<readonly string[]>([]);
  // Which field the errors are about; null if none in particular.
  const [field, setField] = useState<"name" | "rules" | null>(null);
  const title = opened.title ?? opened.benchmarks.join(", ");
  const isNamed = member || player === null;
  const rules = Object.entries(opened.rules);
  const send = async (wish: Readonly<Record<string, string>>, credential: string | null): Promise<void> => {
    const wrong = "name" in wish ? (name.trim() === "" ? say("Give a name.") : checkName(name)) : null;
    const isRefused = rules.length > 0 && !accepted;
    setField(wrong !== null ? "name" : isRefused ? "rules" : null);
    if (wrong !== null) return setErrors([wrong]);
    if (isRefused) return setErrors([say("Accept the rules to join.")]);
    setSending(true);
    const own = takesAlong && credential === null ? playerKey : null;
    const body = { ...wish, accept_rules: accepted };
    const fetched = await join(code, findKey(code) ?? makeKey(code), body, credential, own);
    setSending(false);
    if (fetched.kind !== "ok") {
      const about = fetched.kind === "rejected" ? fetched.problem.errors?.[0] : undefined;
      setField((about?.parameter ?? about?.pointer)?.endsWith("name") ? "name" : null);
      return setErrors(readErrors(fetched));
    }
    sessionStorage.removeItem(KEY);
    history.replaceState(null, "", "/join");
    tabToken.drop();
    if (stays) keptToken.keep(fetched.value.secret);
    keepToken(fetched.value.secret);
    onIssued(fetched.value);
  };
  const wish = { ...(isNamed ? { name: name.trim() } : {}), ...(player === null ? { kind } : {}) };
  return (
    <div class="page">
      <NoIndex />
      <h1>{player === null ? mix("Join {title}", { title: <bdi>{title}</bdi> }) : <bdi>{player}</bdi>}</h1>
      <p class="lead">
        {member
          ? say("You become a member of this team. Its members share one row and one quota.")
          : player !== null
            ? say("You get a new token for this player. The one that was lost ends.")
            : say("You get a token: a secret by which your results come under your name.")}
      </p>
      <form
        class="submit-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send(wish, null);
        }}
      >
        {isNamed && (
          <TextField
            label={say("Name")}
            hint={member ? say("only your team sees it") : say("as the board shows it: yours, or your team’s")}
            autocomplete="nickname"
            value={name}
            aria-invalid={field === "name"}
            onText={setName}
          />
        )}
        {player === null && <KindField kind={kind} onKind={setKind} />}
        {playerKey !== null && (
          <CheckField checked={takesAlong} onCheck={setTakesAlong}>
            {say("Take along what I submitted as a guest under this name")}
            <span class="fine">
              {" "}
              {say("Name and kind as then. Afterwards your token counts, not your player key.")}
            </span>
          </CheckField>
        )}
        <CheckField checked={stays} onCheck={setStays}>
          {say("Keep the token in this browser")}
          <span class="fine"> {say("Everybody who uses this browser can then submit as you.")}</span>
        </CheckField>
        {rules.length > 0 && (
          <>
            {rules.map(([benchmark, text]) => (
              <Rules key={benchmark} text={text} />
            ))}
            <CheckField checked={accepted} aria-invalid={field === "rules"} onCheck={setAccepted}>
              {say("I accept the rules")}
            </CheckField>
          </>
        )}
        <FormErrors errors={errors} />
        <p class="labels">
          <button type="submit" class="button primary" disabled={sending}>
            {player !== null && !member ? say("Get the token") : say("Join")}
          </button>
          {player === null && token !== "" && (
            <Button disabled={sending} onClick={() => void send({}, token)}>
              {say("Join as the player of my token")}
            </Button>
          )}
        </p>
      </form>
    </div>
  );
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
  const id = useId();
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
      <p class="receipt-line">
        <code>{secret}</code> <CopyButton label={say("the token")} text={secret} />
      </p>
      {/* Browsers offer to keep what is in a form with a name and a password once it is sent and gone. */}
      <form class="submit-form" onSubmit={(event) => (event.preventDefault(), openPage(next))}>
        <TextField label={say("Name")} hint="" autocomplete="username" value={token.member ?? name} />
        <Field id={id} label={say("Token")} hint="">
          <input id={id} type="password" autocomplete="new-password" value={secret} />
        </Field>
        <p class="labels">
          <button type="submit" class="button primary">
            {benchmark === undefined ? say("Tokens and team") : say("Submit a result")}
          </button>
          {benchmark !== undefined && (
            <>
              <Button href={boardPath(benchmark)}>{say("See the board")}</Button>
              <Button href="/tokens">{say("Tokens and team")}</Button>
            </>
          )}
        </p>
      </form>
    </div>
  );
}

/** The key of this tab's request, with the code that it is for: a repeat gets the same token. */
const KEY = "join";

function findKey(code: string): string | null {
  const [stored, key = null] = (sessionStorage.getItem(KEY) ?? "").split(" ");
  return stored === code ? key : null;
}

function makeKey(code: string): string {
  const key = makeRandomDigits();
  sessionStorage.setItem(KEY, `${code} ${key}`);
  return key;
}
