/** The top of a board: title, leader, counts. */

import type { Head } from "../../api/generated/types.ts";
import { formatCount, formatWithUnit } from "../../lib/format.ts";
import { playerPath, submitPath } from "../../lib/route.ts";
import type { Row } from "../../lib/board/table.ts";
import { Button } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { Hero } from "../layout.tsx";
import { ShortName } from "../player_name.tsx";
import { Fact, RelativeTime, StatePill, TagPills, useBenchmarkState } from "../values.tsx";

interface Props {
  readonly head: Head;
  readonly first: Row | null;
}

export function BoardHero({ head, first }: Props) {
  const primary = head.metrics.find((metric) => metric.primary);
  const state = useBenchmarkState(head.opens, head.closes);
  const leaders = head.rows.rank.filter((rank) => rank === 1).length;
  return (
    <Hero>
      <div class="headline">
        <div>
          <h1>{head.title}</h1>
          <p class="lead">{head.summary}</p>
          <p class="labels">
            <StatePill opens={head.opens} closes={head.closes} />
            <TagPills tags={head.tags} />
          </p>
        </div>
        {state !== "closed" && (
          <Button primary href={submitPath(head.id)}>
            <Icon name="upload" />
            Hand in a result
          </Button>
        )}
      </div>
      <dl class="facts">
        {first && (
          <Fact class="leader" label={leaders > 1 ? `${formatCount(leaders)} share the lead` : "Leader"}>
            <a href={playerPath(head.id, first.player)}>
              <ShortName name={first.name} verified={first.verified} />
            </a>
            {leaders > 1 && <span class="fine"> and {formatCount(leaders - 1)} more</span>}
          </Fact>
        )}
        {first && primary && <Fact label={primary.label}>{formatWithUnit(first.scores[primary.id], primary)}</Fact>}
        <Fact label="Players">{formatCount(head.counts.players)}</Fact>
        <Fact label="Submissions">
          {formatCount(head.counts.submissions)}
          {head.counts.unranked > 0 && <span class="fine"> + {formatCount(head.counts.unranked)} without a name</span>}
        </Fact>
        <Fact label="Updated">
          <RelativeTime at={head.generated_at} />
        </Fact>
      </dl>
    </Hero>
  );
}
