/** The visitor's row between its neighbours, below a table whose first rows do not have it. */

import { PLACE_SECONDS } from "../../../../sdk/beat.js";
import { fetchAround } from "../../api/rows.ts";
import type { ShownBoard } from "../../hooks/board.ts";
import { useFollow } from "../../hooks/follow.ts";
import { usePolled } from "../../hooks/polling.ts";
import { expected } from "../../hooks/receipts.ts";
import { say } from "../../languages/say.ts";
import { indexOf, rowId } from "../../lib/board/table.ts";
import { formatRank } from "../../lib/format.ts";
import { playerPath } from "../../lib/route.ts";
import { PlayerTags } from "../player_name.tsx";
import { ScoreCells } from "../scores.tsx";
import { TableHead } from "../table_head.tsx";
import { ScrollArea } from "../tables.tsx";

/** So many rows of a table are in sight. */
const IN_SIGHT = 10;

interface Props {
  readonly shown: ShownBoard;
  readonly player: string;
}

export function OwnPlace({ shown: { head, rows, complete }, player }: Props) {
  const index = indexOf(rows, player);
  // Only the API knows whether a row follows those that are here.
  const isAsked = index < 0 ? !complete : index >= IN_SIGHT;
  const { value, retry } = usePolled(
    isAsked ? player : null,
    (signal) => fetchAround(head, player, "1", { signal }),
    () => null,
  );
  // The API costs three times as much as a head, and a board that moves does not always move the visitor.
  useFollow(`${head.version} ${head.sequence}`, retry, expected.isMissing(head.id, rows) ? 0 : PLACE_SECONDS);
  if (!isAsked || !value?.rows.length) return null;
  return (
    <ScrollArea class="board own-place" label={say("Your place")}>
      <table>
        <caption>{say("Your place")}</caption>
        <TableHead labels={[say("Rank"), say("Player")]} metrics={head.metrics} />
        <tbody>
          {value.rows.map((row) => {
            const isMine = rowId(row.player, row.label) === rowId(player, value.label);
            return (
              <tr key={row.submission} class={isMine ? "mine" : undefined}>
                <td>{formatRank(row.rank, row.tied)}</td>
                <th scope="row">
                  <a href={playerPath(head.id, row.player, head.board)}>
                    <bdi>{row.name}</bdi>
                    {row.label && (
                      <>
                        {" · "}
                        <bdi>{row.label}</bdi>
                      </>
                    )}
                  </a>
                  {isMine && <strong> {say("you")}</strong>} <PlayerTags {...row} />
                </th>
                <ScoreCells metrics={head.metrics} scores={row.scores} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollArea>
  );
}
