/** `/owners` and `/b/{b}/owners`: what owners and administrators look after. Everything needs a token. */

import { useState } from "preact/hooks";

import { mix, say } from "../../languages/say.ts";
import { useTitle } from "../../ui/hooks/browser.ts";
import { checkToken } from "../../ui/lib/checks.ts";
import { CredentialForm } from "../../ui/forms/credential_form.tsx";
import { NoIndex } from "../../ui/states.tsx";
import { tabToken, useToken } from "../../ui/hooks/storage.ts";
import { OwnBenchmark } from "./own_benchmark.tsx";
import { OwnList } from "./own_list.tsx";

/** What a token lets an owner do. */
const STEPS = [
  [say("Upload a table"), say("Drop solution.csv: Laurel makes a benchmark of it, checks it and publishes the board.")],
  [say("Invite people"), say("Paste the list of a class, from Moodle or Canvas: each gets a link by mail.")],
  [say("Take the grades"), say("Freeze the board, reveal the hidden half at its time, take the grades as one CSV.")],
];

/** The list of all own benchmarks, or the page of one; `benchmark` is empty for the list. */
export function OwnersPage({ benchmark = "" }: { readonly benchmark: string | undefined }) {
  const [token, keepToken] = useToken();
  const [refusal, setRefusal] = useState<string | null>(null);
  useTitle(say("For owners"));
  const refuse = (reason: string): void => {
    tabToken.keep("");
    setRefusal(reason);
  };
  const props = { token, onRefused: refuse };
  const isOpen = checkToken(token) === null && refusal === null;
  return (
    <div class="page stack">
      <NoIndex />
      {(benchmark === "" || !isOpen) && <h1>{say("For owners")}</h1>}
      {!isOpen && (
        <>
          <p class="lead">{say("Your benchmarks: what waits for you, what is published, players and invitations.")}</p>
          <ol class="cards doors">
            {STEPS.map(([title, text], index) => (
              <li key={title} class="door">
                <b>
                  {index + 1} · <a href="/docs/contest">{title}</a>
                </b>
                <p>{text}</p>
              </li>
            ))}
          </ol>
          <CredentialForm
            label={say("Token of an owner or administrator")}
            error={refusal}
            onCredential={(text) => {
              setRefusal(null);
              tabToken.keep(text);
              keepToken(text);
            }}
          />
          <p class="fine">
            {mix("The administrator of this site gives tokens; that of a stack of your own is in {file}.", {
              file: <code>.laurel/token</code>,
            })}
          </p>
        </>
      )}
      {isOpen &&
        (benchmark === "" ? (
          <OwnList key={token} {...props} />
        ) : (
          <OwnBenchmark key={`${token} ${benchmark}`} {...props} benchmark={benchmark} />
        ))}
    </div>
  );
}
