/** Marks behind the names of players, which stand for words. */

import type { PlayerKind } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { tagGuest } from "../lib/format.ts";
import { CHIP, Icon } from "./icons.tsx";

interface Props {
  readonly player: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
}

export const PlayerMarks = ({ player, kind, verified }: Props) => (
  <>
    {kind === "model" && (
      <abbr class="player-mark" title={say("model")}>
        <Icon shape={CHIP} />
        <span class="unseen"> {say("model")}</span>
      </abbr>
    )}
    {!verified && (
      <abbr class="player-mark guest" title={tagGuest(player)}>
        <span aria-hidden="true">°</span>
        <span class="unseen"> {tagGuest(player)}</span>
      </abbr>
    )}
  </>
);

/** What the marks of rows stand for; nothing if they have none. */
export function MarkLegend({ kind, verified }: Readonly<Record<"kind" | "verified", readonly unknown[]>>) {
  const hasModels = kind.includes("model");
  const hasGuests = verified.includes(false);
  if (!hasModels && !hasGuests) return null;
  return (
    <p class="fine legend" aria-hidden="true">
      {hasModels && (
        <span>
          <Icon shape={CHIP} /> {say("a model")}
        </span>
      )}
      {hasGuests && <span>° {say("a guest, whose name is not verified")}</span>}
    </p>
  );
}
