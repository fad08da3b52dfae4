/** That a benchmark is archived, since when and why. */

import type { ArchiveMark } from "../../api/generated/types.ts";
import { formatTime } from "../../lib/format.ts";

export const ArchivedBanner = ({ mark }: { readonly mark: ArchiveMark }) => (
  <div class="banner">
    <p>
      <strong>Archived on {formatTime(Date.parse(mark.at))}.</strong> <bdi>{mark.reason}</bdi>
    </p>
  </div>
);
