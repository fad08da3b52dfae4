/** Marks behind the names of players, which stand for words. */

import type { Head, PlayerKind, Rows } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { tagGuest } from "../lib/format.ts";
import { CHIP, DASHES, Icon } from "./icons.tsx";

interface Props {
  readonly player: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly isBaseline?: boolean;
}

export const PlayerMarks = ({ player, kind, verified, isBaseline }: Props) => (
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
    {isBaseline && (
      <abbr class="player-mark" title={say("baseline")}>
        <Icon shape={DASHES} />
        <span class="unseen"> {say("baseline")}</span>
      </abbr>
    )}
  </>
);

/** What the marks of rows stand for; nothing if they have none. */
export function MarkLegend({ head, rows }: { readonly head: Head; readonly rows: Rows }) {
  const hasModels = rows.kind.includes("model");
  const hasGuests = rows.verified.includes(false);
  if (!hasModels && !hasGuests && !head.baselines) return null;
  return (
    <p class="fine legend" aria-hidden="true">
      {hasModels && (
        <span>
          <Icon shape={CHIP} /> {say("a model")}
        </span>
      )}
      {hasGuests && <span>° {say("a guest, whose name is not verified")}</span>}
      {head.baselines && (
        <span>
          <Icon shape={DASHES} /> {say("baseline")}
        </span>
      )}
    </p>
  );
}
