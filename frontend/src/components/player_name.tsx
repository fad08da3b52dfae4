/** A player's name, which may be any text, and whether the player is a model or a guest. */

import { guestMark } from "../lib/format.ts";
import type { PlayerKind } from "../api/generated/types.ts";
import { Icon } from "./icons.tsx";

interface Props {
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly href?: string;
}

/** The name with tags, isolated so that its writing direction stays its own. */
export const PlayerName = ({ name, kind, verified, href }: Props) => (
  <span class="player">
    {href === undefined ? (
      <bdi>{name}</bdi>
    ) : (
      <a href={href} title={name}>
        <bdi>{name}</bdi>
      </a>
    )}
    <PlayerTags kind={kind} verified={verified} />
  </span>
);

/** The name without tags: a guest is marked, and a long name is cut before the mark. */
export const ShortName = ({ name, verified }: Pick<Props, "name" | "verified">) => (
  <span class="short-name">
    <bdi class="clip">{name}</bdi>
    {guestMark(name, verified) !== "" && <span class="fine">{guestMark(name, verified)}</span>}
  </span>
);

export const PlayerTags = ({ kind, verified }: Pick<Props, "kind" | "verified">) => (
  <span class="tags">
    <span class="kind">
      <Icon name={kind === "human" ? "person" : "chip"} />
      {kind}
    </span>
    {!verified && <span class="guest">· guest</span>}
  </span>
);
