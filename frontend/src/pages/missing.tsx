/** Says that no page has an address. */

import { Unavailable } from "../components/states.tsx";
import { useTitle } from "../hooks/browser.ts";
import { say } from "../languages/say.ts";

export function MissingPage() {
  useTitle(say("Page not found"));
  return <Unavailable phase="missing" retry={() => undefined} missing={say("No page has this address.")} />;
}
