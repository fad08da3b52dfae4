/** The picked players, in a bar at the lower edge of the window. */

import type { Head } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { chosenPath } from "../../ui/lib/paths.ts";
import type { Row } from "../rows/row.ts";
import { MAX_PICKS } from "./table.tsx";

interface Props {
  readonly head: Head;
  readonly picks: readonly Row[];
  readonly onClear: () => void;
}

export const ComparisonBar = ({ head, picks, onClear }: Props) => (
  <aside class="comparison-bar" aria-label={say("Picked players")}>
    <span class="clip">{picks.map(({ name }) => `\u2068${name}\u2069`).join(", ")}</span>
    <span class="fine">{say("{number} of {total}", { number: picks.length, total: MAX_PICKS })}</span>
    <Button small primary href={chosenPath(head.id, picks.map(({ id }) => id).join(","), head.board)}>
      {say("Compare")}
    </Button>
    <Button small onClick={onClear}>
      {say("Clear")}
    </Button>
  </aside>
);
