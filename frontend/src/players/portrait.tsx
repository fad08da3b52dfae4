/** Who a page is about: face, name and some facts; and the ranks, one board a line. */

import type { ComponentChildren } from "preact";

import { RankMark } from "../boards/table/marks.tsx";
import { Track } from "../charts/track.tsx";
import { say } from "../languages/say.ts";
import type { Faced } from "../ui/face.tsx";
import { Face, Sign } from "../ui/icons.tsx";
import { hueOf } from "../ui/lib/hash.ts";
import { PlayerTags } from "../ui/player_name.tsx";
import { Share } from "../ui/tabs.tsx";

interface Props {
  readonly view: Faced & { readonly name: string };
  /** Beside the kind of player. */
  readonly tag?: ComponentChildren;
  readonly facts: readonly (string | null | undefined | false)[];
  /** Buttons before the one that shares. */
  readonly children?: ComponentChildren;
}

export const Portrait = ({ view, tag, facts, children }: Props) => (
  <div class="portrait">
    <Face {...view} size={104} />
    <div>
      <h1>
        <bdi>{view.name}</bdi>
      </h1>
      <p class="labels">
        <PlayerTags {...view} />
        {tag}
      </p>
      <p class="soft">{facts.filter(Boolean).join(" · ")}</p>
    </div>
    <p class="labels acts">
      {children}
      <Share />
    </p>
  </div>
);

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

/** A tick a place, the first at the right. */
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
