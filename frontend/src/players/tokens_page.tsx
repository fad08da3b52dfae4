/** `/tokens`: the tokens of the visitor's player and its members, and links for new members. */

import { useState } from "preact/hooks";

import type { TokenList, TokenView } from "../api/generated/types.ts";
import { get, post } from "../api/views.ts";
import { mix, say } from "../languages/say.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { checkToken } from "../ui/lib/checks.ts";
import { Button } from "../ui/controls.tsx";
import { CredentialForm } from "../ui/forms/credential_form.tsx";
import { formatTime } from "../ui/lib/format.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { useRequest } from "../ui/forms/request.ts";
import { NoIndex, Unavailable } from "../ui/states.tsx";
import { keptToken, tabToken, useToken } from "../ui/hooks/storage.ts";
import { Links } from "./links.tsx";

export function TokensPage() {
  const [token, keepToken] = useToken();
  const [refusal, setRefusal] = useState<string | null>(null);
  useTitle(say("Tokens and team"));
  const forget = (why: string | null): void => {
    tabToken.keep("");
    keptToken.keep("");
    keepToken("");
    setRefusal(why);
  };
  return (
    <div class="page">
      <NoIndex />
      <h1>{say("Tokens and team")}</h1>
      {checkToken(token) === null ? (
        <Tokens key={token} token={token} onForget={forget} />
      ) : (
        <CredentialForm label={say("Your token opens it.")} error={refusal} onCredential={keepToken} />
      )}
    </div>
  );
}

function Tokens({ token, onForget }: { readonly token: string; readonly onForget: (why: string | null) => void }) {
  const { errors, send } = useRequest();
  const polled = usePolled("tokens", async (signal) => {
    const fetched = await get<TokenList>("/api/tokens", token, signal);
    if (fetched.kind === "rejected") onForget(fetched.problem.detail);
    return fetched;
  });
  const list = polled.value;
  if (!list) return <Unavailable {...polled} missing="" />;
  const isOwn = list.tokens.some((each) => each.current && each.member === null);
  const revoke = async (each: TokenView): Promise<void> => {
    if (!confirm(say("End this token for good?"))) return;
    if (!(await send(post<object>(`/api/tokens/${each.token}/revoke`, token)))) return;
    if (each.current) onForget(null);
    else polled.retry();
  };
  return (
    <>
      <p class="lead">
        {mix("Everybody with one of these tokens submits as {name}.", { name: <bdi>{list.name}</bdi> })}
      </p>
      <ul class="plain-list" aria-label={say("Tokens")}>
        {list.tokens.map((each) => (
          <li key={each.token}>
            <span>
              <bdi>{each.member ?? say("the player’s own")}</bdi>{" "}
              {each.current && <span class="pill plain">{say("this one")}</span>}{" "}
              <span class="fine">
                {each.benchmarks.join(", ") || say("every benchmark")} ·{" "}
                {say("since {time}", { time: formatTime(Date.parse(each.created_at)) })}
              </span>
            </span>
            {(isOwn || each.current) && (
              <Button small onClick={() => void revoke(each)}>
                {each.current && each.member !== null ? say("Leave the team") : say("Revoke")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div role="alert">{errors.join(" ")}</div>
      <p class="fine">{say("A token that was revoked is rejected at once, for good. What came by it stays.")}</p>
      {isOwn && (
        <section aria-label={say("Invite members")}>
          <h2>{say("Invite members")}</h2>
          <p>{say("A link makes others members of your player: a team with one row and one quota.")}</p>
          <Links token={token} benchmark={null} links={list.invitations} onChange={polled.retry} />
        </section>
      )}
      {keptToken.find() && (
        <p>
          <Button onClick={() => onForget(null)}>{say("Forget the token in this browser")}</Button>
        </p>
      )}
    </>
  );
}
