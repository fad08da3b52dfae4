/** That a benchmark is archived, that a board could not be updated, or that it has newer results. */

import type { ArchiveMark } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { formatTime } from "../ui/lib/format.ts";

export const ArchivedBanner = ({ mark }: { readonly mark: ArchiveMark }) => (
  <div class="banner">
    <p>
      <strong>{say("Archived on {time}.", { time: formatTime(Date.parse(mark.at)) })}</strong> <bdi>{mark.reason}</bdi>
    </p>
  </div>
);

/** Since when the board may lack results, of which none is lost. */
export const StalledBanner = ({ since }: { readonly since: string }) => (
  <div class="banner" role="status">
    <p>
      <strong>{say("This board may lack results since {time}.", { time: formatTime(Date.parse(since)) })}</strong>{" "}
      {say("Results are still accepted, and none is lost. The server tries again every ten minutes.")}
    </p>
  </div>
);

export const FreshBanner = ({ onShow }: { readonly onShow: () => void }) => (
  <div class="banner" role="status">
    <p>{say("There are new results.")}</p>
    <Button small primary onClick={onShow}>
      {say("Show new results")}
    </Button>
  </div>
);
