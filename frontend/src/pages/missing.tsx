/** Says that no page has an address. */

import { Unavailable } from "../components/states.tsx";
import { useTitle } from "../hooks/browser.ts";

export function MissingPage() {
  useTitle("Page not found");
  return (
    <Unavailable phase="missing" retry={() => undefined} missing="No page has this address.">
      {null}
    </Unavailable>
  );
}
