/** Any other path. */

import { useTitle } from "../hooks/browser.ts";
import { Notice } from "../components/states.tsx";

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
