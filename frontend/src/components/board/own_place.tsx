/** Where the visitor stands, with those above and below, before all else of a board. */

import { PLACE_SECONDS } from "../../../../sdk/beat.js";
import type { ShownBoard } from "../../api/boards.ts";
import { fetchPlace, readPlace } from "../../api/rows.ts";
import { useFollow } from "../../hooks/follow.ts";
import { usePolled } from "../../hooks/polling.ts";
import { expected } from "../../hooks/receipts.ts";
import { say } from "../../languages/say.ts";
import { shapeOf } from "../../lib/board/shape.ts";
import { isWhole } from "../../lib/board/table.ts";
import { spellRank } from "../../lib/ranks.ts";
import { playerPath } from "../../lib/route.ts";
import { describeGap, describeNextRank, RivalTable } from "../player/places.tsx";
import { Delta } from "./table.tsx";

/** So wide a window has the card beside the table, else above it, where the first row must stay in sight. */
const WIDE = "(width >= 1080px)";

interface Props {
  readonly shown: ShownBoard;
  readonly player: string;
  readonly onShow: () => void;
}

export function OwnPlace({ shown: { head, rows }, player, onShow }: Props) {
  const here = readPlace(head, player);
  const { value, phase, retry } = usePolled(
    here === null && !isWhole(head) ? `${head.board} ${player}` : null,
    async (signal) => ({ kind: "ok", value: await fetchPlace(head, player, signal) }),
  );
  // The API costs three times as much as a head, and a board that moves does not always move the visitor.
  useFollow(`${head.version} ${head.sequence}`, retry, expected.isMissing(head.id, rows) ? 0 : PLACE_SECONDS);
  const place = here ?? value;
  if (!place) {
    const isMissing = isWhole(head) || phase === "ok";
    return <p class="side-card own-place">{isMissing && say("You are not on this board.")}</p>;
  }
  const { row } = place;
  const rank = say("You: {rank} of {players}", { rank: spellRank(row.rank, row.tied), players: head.total });
  return (
    <details class="side-card own-place" open={matchMedia(WIDE).matches}>
      <summary>
        <strong>{rank}</strong>
        {row.delta != null && row.delta !== 0 && <Delta delta={row.delta} />}{" "}
        <span class="fine">{describeGap(place, shapeOf(head, head.rows))}</span>
      </summary>
      <RivalTable place={place} />
      <p>{describeNextRank(place)}</p>
      <p class="labels">
        <button type="button" class="button small" onClick={onShow}>
          {say("My rank")}
        </button>
        <a href={playerPath(head.id, player, head.board)}>{say("Your results")}</a>
      </p>
    </details>
  );
}
