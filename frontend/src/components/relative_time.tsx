/** A moment as people say it, exactly for machines and for who asks. */

import { useNow } from "../hooks/clock.ts";
import { formatAgo } from "../lib/format.ts";

/** A moment that keeps its words up to date by itself. */
export const Moment = ({ at }: { readonly at: number | string }) => <Ago at={at} now={useNow()} />;

interface Props {
  readonly at: number | string;
  readonly now: number;
}

/** A moment seen from another one. */
export function Ago({ at, now }: Props) {
  const moment = typeof at === "number" ? at : Date.parse(at);
  const iso = new Date(moment).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 16).replace("T", " ")} UTC`}>
      {formatAgo(moment, Math.max(now, moment))}
    </time>
  );
}
