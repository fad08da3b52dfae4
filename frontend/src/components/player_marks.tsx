/** Marks behind a player's name that stand for words, and the legend that says which. */

import type { PlayerKind } from "../api/generated/types.ts";
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
      <abbr class="player-mark" title="model">
        <Icon shape={CHIP} />
        <span class="unseen"> model</span>
      </abbr>
    )}
    {!verified && (
      <abbr class="player-mark guest" title={tagGuest(player).slice(2)}>
        <span aria-hidden="true">°</span>
        <span class="unseen"> {tagGuest(player).slice(2)}</span>
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
          <Icon shape={CHIP} /> a model
        </span>
      )}
      {hasGuests && <span>° a guest, whose name is not verified</span>}
    </p>
  );
}
