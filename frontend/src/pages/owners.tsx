/** `/owners`: what owners and administrators look after. Everything needs a token. */

import { ErrorsTab } from "../components/owners/errors.tsx";
import { InvitationsTab } from "../components/owners/invitations.tsx";
import { PublishTab } from "../components/owners/publish.tsx";
import { CredentialForm } from "../components/submission/credential_form.tsx";
import { Tabs } from "../components/tabs.tsx";
import { useTitle } from "../hooks/browser.ts";
import { useToken } from "../hooks/token.ts";
import { say } from "../languages/say.ts";
import { checkToken } from "../lib/checks.ts";

export function OwnersPage() {
  const [token, keepToken] = useToken();
  useTitle(say("For owners"));
  return (
    <div class="page">
      <h1>{say("For owners")}</h1>
      <p class="lead">
        {say("Errors of all your benchmarks, a form that publishes one, and links by which others join.")}
      </p>
      <CredentialForm
        label={say("A token of an owner, or of the administrator, opens it.")}
        placeholder="laurel_…"
        check={checkToken}
        error={null}
        onCredential={keepToken}
      />
      {checkToken(token) === null && (
        <Tabs
          key={token}
          label={say("Tasks")}
          tabs={[
            { label: say("Errors"), panel: <ErrorsTab token={token} /> },
            { label: say("Publish"), panel: <PublishTab token={token} /> },
            { label: say("Invitations"), panel: <InvitationsTab token={token} /> },
          ]}
        />
      )}
    </div>
  );
}
