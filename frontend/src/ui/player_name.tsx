/** A player's name, which may be any text, and whether the player is a model or a guest. */

import type { PlayerKind } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { guestMark } from "./lib/guests.ts";
import { Icon } from "./icons.tsx";

const CHIP = "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14";
const PERSON = "M8 2.5a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2zM3 13.5c.5-3 2.3-4.3 5-4.3s4.5 1.3 5 4.3";

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
    <span class="kind">
      <Icon shape={kind === "human" ? PERSON : CHIP} />
      {kind === "human" ? say("human") : say("model")}
    </span>
    {!verified && <span class="guest"> · {say("guest")}</span>}
  </span>
);
