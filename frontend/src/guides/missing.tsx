/** Says that no page has an address. */

import { say } from "../languages/say.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { Unavailable } from "../ui/states.tsx";

export function MissingPage() {
  useTitle(say("Page not found"));
  return <Unavailable phase="missing" retry={() => undefined} missing={say("No page has this address.")} />;
}
