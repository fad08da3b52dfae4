/** A player's ranks, one board a line: a tick a place, the first at the right. */

import type { ComponentChildren } from "preact";

import { RankMark } from "../boards/table/marks.tsx";
import { say } from "../languages/say.ts";
import { Sign } from "../ui/icons.tsx";
import { hueOf } from "../ui/lib/hash.ts";
import { Track } from "../charts/track.tsx";

export interface Rank {
  readonly id: string;
  readonly benchmark: string;
  readonly href: string;
  readonly title: string;
  readonly rank: number;
  readonly tied?: boolean;
  readonly total: number;
  readonly hasMedal: boolean;
  /** What the rank rests on. */
  readonly value?: ComponentChildren;
}

export const Ranks = ({ ranks }: { readonly ranks: readonly Rank[] }) => (
  <ul class="ranks">
    {ranks.map(({ id, benchmark, href, title, rank, tied = false, total, hasMedal, value }) => (
      <li key={id} style={{ "--h": hueOf(benchmark) }}>
        <span class="r">
          <RankMark {...{ rank, tied, hasMedal }} />
        </span>
        <Sign board={benchmark} size={28} />
        <a href={href}>{title}</a>
        <Track rank={rank} total={total} />
        <span class="fine">{say("of {total}", { total })}</span>
        <b>{value}</b>
      </li>
    ))}
  </ul>
);
