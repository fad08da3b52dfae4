/** Where the visitor stands on the boards that the page knows, and who has passed since. */

import { useEffect } from "preact/hooks";

import type { Head, IndexEntry } from "../api/generated/types.ts";
import { findRow, rowAt, type Row } from "../boards/rows/row.ts";
import { mix, say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { aboveOf, playerOf } from "../ui/hooks/storage.ts";
import { Face } from "../ui/icons.tsx";
import { spellRank } from "../ui/lib/ordinal.ts";
import { boardPath, submitPath } from "../ui/lib/route.ts";
import { TimeAgo } from "../ui/values.tsx";

const MAX_NAMED = 3;

/** Return the visitor's row on a board, if it is among the first ones. */
export const findOwn = ({ id, rows }: Head): Row | undefined => findRow(rows, playerOf(id).find() ?? "");

interface Props {
  readonly boards: readonly IndexEntry[];
  /** What the page knows of them so far. */
  readonly heads: readonly Head[];
}

/** The visitor's ranks, and who passed; nothing for a visitor who has submitted nothing. */
export function OwnBar({ boards, heads }: Props) {
  const places = heads.flatMap(findPlace).toSorted((a, b) => (b.passer?.at ?? 0) - (a.passer?.at ?? 0));
  useEffect(() => {
    for (const { passer, keep } of places) if (!passer) keep();
  });
  const [first] = places;
  const player = boards.map(({ id }) => playerOf(id).find()).find(Boolean);
  if (!player) return null;
  return (
    <section class="own-bar" aria-label={say("You")}>
      {first ? <Face {...first.own} size={32} /> : <svg width="32" height="32" />}
      <ul>
        {places.slice(0, MAX_NAMED).map(({ head, own, passer, count, keep }) => {
          const values = {
            rank: <b>{spellRank(own.rank, own.tied)}</b>,
            board: (
              <a href={boardPath(head.id)} onClick={keep}>
                {head.title}
              </a>
            ),
          };
          return (
            <li key={head.id}>
              {passer
                ? mix("{rank} in {board}, {player} passed you {time}", {
                    ...values,
                    player: <bdi>{passer.name}</bdi>,
                    time: <TimeAgo at={passer.at} />,
                  })
                : mix("{rank} in {board}", values)}
              {passer && <span class="delta down"> ▼{count}</span>}
            </li>
          );
        })}
      </ul>
      <Button href={`/p/${first?.own.player ?? player}`}>{say("All your boards")}</Button>
      {first?.passer && !(Date.parse(first.head.closes ?? "") < Date.now()) && (
        <Button primary href={submitPath(first.head.id)}>
          {say("Take it back")}
        </Button>
      )}
    </section>
  );
}

/** Return the visitor's place on a board, the latest of those who came above it since a visit, and how many did. */
function findPlace(head: Head) {
  const own = findOwn(head);
  if (!own) return [];
  const above = head.rows.player.map((_, index) => rowAt(head.rows, index)).filter(({ rank }) => rank < own.rank);
  const slot = aboveOf(head.id);
  const before = slot.find()?.split(" ");
  const passers = before ? above.filter(({ id }) => !before.includes(id)) : [];
  const [passer] = passers.toSorted((a, b) => b.at - a.at);
  // Who is above now is no news any more. A space: nobody is.
  const keep = (): void => slot.keep(above.map(({ id }) => id).join(" ") || " ");
  return [{ head, own, passer, count: passers.length, keep }];
}
