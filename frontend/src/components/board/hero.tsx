/** The top of a board: what it is, who leads, how much it rests on. */

import { formatCount, formatWithUnit } from "../../lib/format.ts";
import { playerPath, submitPath } from "../../lib/route.ts";
import type { Row } from "../../lib/table.ts";
import type { Head } from "../../api/generated/snapshots.ts";
import { Icon } from "../icons.tsx";
import { Moment } from "../relative_time.tsx";
import { StatePill } from "../pill.tsx";
import { ShortName } from "../player_name.tsx";

interface Props {
  readonly head: Head;
  readonly first: Row | null;
}

export function BoardHero({ head, first }: Props) {
  const primary = head.metrics.find((metric) => metric.primary);
  const leaders = head.rows.rank.filter((rank) => rank === 1).length;
  return (
    <div class="hero">
      <p class="crumbs">
        <a href="/">Boards</a>
      </p>
      <div class="headline">
        <div>
          <h1>{head.title}</h1>
          <p class="lead">{head.summary}</p>
          <p class="labels">
            <StatePill opens={head.opens} closes={head.closes} />
            {head.tags.map((tag) => (
              <span key={tag} class="pill plain">
                {tag}
              </span>
            ))}
          </p>
        </div>
        <a class="button primary" href={submitPath(head.id)}>
          <Icon name="upload" />
          Hand in a result
        </a>
      </div>
      <dl class="facts">
        {first && (
          <div class="leader">
            <dt>{leaders > 1 ? `${formatCount(leaders)} share the lead` : "Leader"}</dt>
            <dd>
              <a href={playerPath(head.id, first.player)}>
                <ShortName name={first.name} verified={first.verified} />
              </a>
              {leaders > 1 && <span class="fine"> and {formatCount(leaders - 1)} more</span>}
            </dd>
          </div>
        )}
        {first && primary && (
          <div>
            <dt>{primary.label}</dt>
            <dd>{formatWithUnit(first.scores[primary.id], primary)}</dd>
          </div>
        )}
        <div>
          <dt>Players</dt>
          <dd>{formatCount(head.counts.players)}</dd>
        </div>
        <div>
          <dt>Submissions</dt>
          <dd>{formatCount(head.counts.submissions)}</dd>
        </div>
        <div>
          <dt>Updated</dt>
          <dd>
            <Moment at={head.generated_at} />
          </dd>
        </div>
      </dl>
    </div>
  );
}
