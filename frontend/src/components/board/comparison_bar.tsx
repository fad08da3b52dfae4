/** The picked players, in a bar at the lower edge of the window. */

import { Mark } from "../../charts/picks.tsx";
import { mix, say } from "../../languages/say.ts";
import type { Row } from "../../lib/board/table.ts";
import { MAX_PICKS } from "../../lib/board/view.ts";
import { Button } from "../controls.tsx";
import { Icon } from "../icons.tsx";
import { ShortName } from "../player_name.tsx";

const CLOSE = "M4 4l8 8M12 4l-8 8";

interface Props {
  readonly picked: readonly Row[];
  readonly onRemove: (id: string) => void;
  readonly onClear: () => void;
}

export const ComparisonBar = ({ picked, onRemove, onClear }: Props) => (
  <aside class="comparison-bar" aria-label={say("Picked players")}>
    <ul>
      {picked.map((row, index) => (
        <li key={row.id}>
          <Mark index={index} />
          <ShortName name={row.name} verified={row.verified} />
          <button type="button" onClick={() => onRemove(row.id)}>
            <Icon shape={CLOSE} />
            <span class="unseen">{mix("Remove {name}", { name: <bdi>{row.name}</bdi> })}</span>
          </button>
        </li>
      ))}
    </ul>
    <p class="fine">{say("{number} of {total}", { number: picked.length, total: MAX_PICKS })}</p>
    <Button small primary href="#charts">
      {say("Compare")}
    </Button>
    <Button small onClick={onClear}>
      {say("Clear")}
    </Button>
  </aside>
);
