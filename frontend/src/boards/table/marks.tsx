/** Marks behind the names of players, which stand for words. */

import type { ComponentChild } from "preact";

import type { Head, PlayerKind, Rows } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { CHIP, DASHES, Icon } from "../../ui/icons.tsx";

interface Props {
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly isBaseline?: boolean;
}

export const PlayerMarks = ({ kind, verified, isBaseline }: Props) => (
  <>
    {kind === "model" && mark(say("model"), <Icon shape={CHIP} />)}
    {!verified && mark(say("guest"), <span aria-hidden="true">°</span>)}
    {isBaseline && mark(say("baseline"), <Icon shape={DASHES} />)}
  </>
);

const mark = (title: string, sign: ComponentChild) => (
  <abbr class="player-mark" title={title}>
    {sign}
    <span class="unseen"> {title}</span>
  </abbr>
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
