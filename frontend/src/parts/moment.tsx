/** A moment as people say it, exactly for machines and for who asks. */

import { useNow } from "../live/browser.ts";
import { formatAgo, formatMoment } from "../logic/format.ts";

export function Moment({ at }: { readonly at: number | string }) {
  const moment = typeof at === "number" ? at : Date.parse(at);
  const now = useNow();
  return (
    <time dateTime={new Date(moment).toISOString()} title={formatMoment(moment)}>
      {formatAgo(moment, Math.max(now, moment))}
    </time>
  );
}
