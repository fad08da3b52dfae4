/** Where the visitor stands, with those above and below, before all else of a board. */

import { PLACE_SECONDS } from "../../../../sdk/beat.js";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { usePolled } from "../../ui/hooks/polling.ts";
import { playerPath } from "../../ui/lib/route.ts";
import { expected } from "../../ui/hooks/storage.ts";
import { describeNext } from "../ladder.tsx";
import { spellRank } from "../rows/ranks.ts";
import { isWhole, type FindMove } from "../rows/row.ts";
import { fetchPlace, readPlace } from "../requests/rows.ts";
import { Delta } from "./table.tsx";
import { moveTo, type MoveProps } from "./tools.tsx";
import { useFollow } from "../use_follow.ts";

interface Props extends MoveProps {
  readonly player: string;
  readonly move: FindMove | null;
}

export function OwnPlace({ player, move, ...props }: Props) {
  const { head, rows } = props.shown;
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
    return <p class="own-place labels">{isMissing && say("You are not on this board.")}</p>;
  }
  const { row, index } = place;
  const show = (): void => {
    props.onAnswer(say("You are at rank {rank}.", { rank: row.rank }));
    moveTo(index, props);
  };
  const rank = say("You: {rank} of {players}", { rank: spellRank(row.rank, row.tied), players: head.total });
  return (
    <p class="own-place labels">
      <strong>{rank}</strong>
      <Delta move={move?.(row)} />
      <span class="fine">{describeNext(place)}</span>
      <Button small onClick={show}>
        {say("My rank")}
      </Button>
      <a href={playerPath(head.id, player, head.board)}>{say("Your results")}</a>
    </p>
  );
}
