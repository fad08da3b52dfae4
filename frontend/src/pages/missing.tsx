/** Any other path. */

import { useTitle } from "../live/browser.ts";
import { Notice } from "../parts/states.tsx";

export function MissingPage() {
  useTitle("Nothing here");
  return (
    <Notice title="Nothing here">
      <p>No page has this address.</p>
      <a class="button" href="/">
        All boards
      </a>
    </Notice>
  );
}
