/** The top of a board: title, state, counts. The table says who leads, and by how much. */

import type { Head } from "../api/generated/types.ts";
import { mix, say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { formatTime } from "../ui/lib/format.ts";
import { Icon, UPLOAD } from "../ui/icons.tsx";
import { Hero } from "../ui/layout.tsx";
import { submitPath } from "../ui/lib/route.ts";
import { RelativeTime, StatePill, TagPills, useBenchmarkState } from "../ui/values.tsx";
import { titleOf } from "./rows/row.ts";
import type { Listed } from "./use_boards.ts";

export function BoardHero({ head, listed }: { readonly head: Head; readonly listed: Listed }) {
  const state = useBenchmarkState(head.opens, head.closes);
  const [play, ...others] = head.links ?? [];
  return (
    <Hero>
      <div class="headline">
        <div>
          <h1 lang="">{titleOf(head)}</h1>
          <p class="lead" lang="">
            {head.summary}
          </p>
        </div>
        <div class="actions">
          {play && (
            <a class="button primary" href={play.url} rel="noopener">
              {play.label}
            </a>
          )}
          {(state !== "closed" || listed.late) && !listed.archived && (
            <Button primary={!play} href={submitPath(head.id, head.board)}>
              <Icon shape={UPLOAD} />
              {say("Hand in a result")}
            </Button>
          )}
        </div>
      </div>
      <p class="labels">
        {!listed.archived && <StatePill opens={head.opens} closes={head.closes} />}
        {head.final?.is_shown && <span class="pill open">{say("Final")}</span>}
        {head.final?.at && !head.final.is_shown && (
          <span class="fine">{say("final {time}", { time: formatTime(Date.parse(head.final.at)) })}</span>
        )}
        <TagPills tags={head.tags} />
        {others.map(({ label, url }) => (
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
    </Hero>
  );
}
