/** A player's name, which may be any text, and whether the player is a model or a guest. */

import type { PlayerKind } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { guestMark } from "./lib/guests.ts";

interface Props {
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
}

/** The name without tags: a guest is marked, and a long name is cut before the mark. */
export const ShortName = ({ name, verified }: Pick<Props, "name" | "verified">) => (
  <span class="short-name">
    <bdi class="clip">{name}</bdi>
    <span class="fine">{guestMark(name, verified)}</span>
  </span>
);

export const PlayerTags = ({ kind, verified }: Pick<Props, "kind" | "verified">) => (
  <span class="tags">
    {kind === "human" ? say("human") : say("model")}
    {!verified && ` · ${say("guest")}`}
  </span>
);
