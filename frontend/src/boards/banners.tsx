/** That a benchmark is archived, that a board is frozen or could not be updated, or that it has newer results. */

import type { ArchiveMark, Head } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { formatTime } from "../ui/lib/format.ts";
import { sayFrozen } from "./rows/ranks.ts";

export const ArchivedBanner = ({ mark }: { readonly mark: ArchiveMark }) => (
  <div class="banner">
    <p>
      <strong>{say("Archived on {time}.", { time: formatTime(Date.parse(mark.at)) })}</strong> <bdi>{mark.reason}</bdi>
    </p>
  </div>
);

/** Since when what comes waits, or the board may lack results, of which none is lost. */
export const HeadBanner = ({ head: { frozen, stalled_since: since } }: { readonly head: Head }) => (
  <div class="banner" role="status">
    {frozen && (
      <p>
        <strong>{sayFrozen(frozen)}</strong>
      </p>
    )}
    {since && (
      <p>
        <strong>{say("This board may lack results since {time}.", { time: formatTime(Date.parse(since)) })}</strong>{" "}
        {say("Results are still accepted, and none is lost. The server tries again every ten minutes.")}
      </p>
    )}
  </div>
);

export const FreshBanner = ({ onShow }: { readonly onShow: () => void }) => (
  <div class="banner fresh" role="status">
    <p>{say("There are new results.")}</p>
    <Button small primary onClick={onShow}>
      {say("Show new results")}
    </Button>
  </div>
);
