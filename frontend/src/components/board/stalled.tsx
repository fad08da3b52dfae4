/** That a board could not be updated: since when it may lack results, and that none is lost. */

import { formatTime } from "../../lib/format.ts";

export const StalledBanner = ({ since }: { readonly since: string }) => (
  <div class="banner" role="status">
    <p>
      <strong>This board may lack results since {formatTime(Date.parse(since))}.</strong> Results are still accepted,
      and none is lost. The server tries again every ten minutes.
    </p>
  </div>
);
