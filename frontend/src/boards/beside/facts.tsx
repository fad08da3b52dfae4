/** What the top of a board says beside its title: state, tags, links, counts. */

import type { Head } from "../../api/generated/types.ts";
import { mix, say } from "../../languages/say.ts";
import { formatTime } from "../../ui/lib/format.ts";
import { StatePill, TagPills } from "../../ui/facts.tsx";
import { RelativeTime } from "../../ui/values.tsx";

export const HeroFacts = ({ head, isArchived }: { readonly head: Head; readonly isArchived: boolean }) => (
  <p class="labels">
    {!isArchived && <StatePill opens={head.opens} closes={head.closes} />}
    {head.final?.is_shown && <span class="pill open">{say("Final")}</span>}
    {head.final?.at && !head.final.is_shown && (
      <span class="fine">{say("final {time}", { time: formatTime(Date.parse(head.final.at)) })}</span>
    )}
    <TagPills tags={head.tags} />
    {head.links?.slice(1).map(({ label, url }) => (
      <a key={url} href={url} rel="noopener">
        {label}
      </a>
    ))}
    <span class="fine">
      {say("{count} submission|{count} submissions", { count: head.counts.submissions + head.counts.unranked })} ·{" "}
      {mix("updated {time}", { time: <RelativeTime at={head.generated_at} /> })}
      {head.corrected_at && (
        <>
          {" "}
          · <a href="#corrections">{say("corrected")}</a> <RelativeTime at={head.corrected_at} />
        </>
      )}
    </span>
  </p>
);
