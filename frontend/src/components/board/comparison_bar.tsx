/** The picked players, at hand at the lower edge wherever the page is. */

import { Mark } from "../mark.tsx";
import type { Row } from "../../lib/table.ts";
import { MAX_PICKS } from "../../lib/view.ts";
import { Icon } from "../icons.tsx";
import { ShortName } from "../player_name.tsx";

interface Props {
  readonly picked: readonly Row[];
  readonly onRemove: (player: string) => void;
  readonly onClear: () => void;
}

export function Tray({ picked, onRemove, onClear }: Props) {
  if (picked.length === 0) return null;
  return (
    <aside class="tray" aria-label="Picked players">
      <ul>
        {picked.map((row, index) => (
          <li key={row.player}>
            <Mark index={index} />
            <ShortName name={row.name} verified={row.verified} />
            <button type="button" onClick={() => onRemove(row.player)}>
              <Icon name="close" />
              <span class="unseen">
                Remove <bdi>{row.name}</bdi>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p class="fine">
        {picked.length} of {MAX_PICKS}
      </p>
      <a class="button small primary" href="#charts">
        Compare
      </a>
      <button type="button" class="button small" onClick={onClear}>
        Clear
      </button>
    </aside>
  );
}
