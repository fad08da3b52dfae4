/** The picked players, in a bar at the lower edge of the window. */

import type { Head } from "../../api/generated/types.ts";
import { MAX_PICKS } from "../../api/view.ts";
import { mix, say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { Face, Icon } from "../../ui/icons.tsx";
import { chosenPath } from "../../ui/lib/paths.ts";
import { ShortName } from "../../ui/player_name.tsx";
import type { Row } from "../rows/row.ts";

const CLOSE = "M4 4l8 8M12 4l-8 8";

interface Props {
  readonly head: Head;
  readonly picked: readonly Row[];
  readonly onRemove: (id: string) => void;
  readonly onClear: () => void;
}

export const ComparisonBar = ({ head, picked, onRemove, onClear }: Props) => (
  <aside class="comparison-bar" aria-label={say("Picked players")}>
    <ul>
      {picked.map((row) => (
        <li key={row.id}>
          <Face {...row} size={20} />
          <ShortName name={row.name} verified={row.verified} />
          <button type="button" onClick={() => onRemove(row.id)}>
            <Icon shape={CLOSE} />
            <span class="unseen">{mix("Remove {name}", { name: <bdi>{row.name}</bdi> })}</span>
          </button>
        </li>
      ))}
    </ul>
    <p class="fine">{say("{number} of {total}", { number: picked.length, total: MAX_PICKS })}</p>
    <Button small primary href={chosenPath(head.id, picked.map(({ id }) => id).join(","), head.board)}>
      {say("Compare")}
    </Button>
    <Button small onClick={onClear}>
      {say("Clear")}
    </Button>
  </aside>
);
