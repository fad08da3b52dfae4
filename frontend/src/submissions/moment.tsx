/** The rank that a submission brought: from where, who was passed, and how far the next is. */

import type { ComponentChildren } from "preact";

import type { SubmissionView } from "../api/generated/types.ts";
import { MAIN } from "../api/view.ts";
import { describeNext, Ladder } from "../boards/ladder.tsx";
import type { BoardPlace } from "../boards/requests/rows.ts";
import { spellRank } from "../boards/rows/ranks.ts";
import { hasMedal, indexOf, rowAt, type Row } from "../boards/rows/row.ts";
import { locale, mix, say } from "../languages/say.ts";
import { Medal } from "../ui/icons.tsx";
import { formatCount, formatWithUnit } from "../ui/lib/format.ts";
import { submissionPath } from "../ui/lib/paths.ts";
import { boardPath } from "../ui/lib/route.ts";
import { Track } from "../charts/track.tsx";

const MAX_NAMES = 3;

interface Props {
  readonly value: SubmissionView & { readonly rank: number; readonly players: number };
  /** The player's places; empty if they are not known. */
  readonly places: readonly BoardPlace[];
  /** Whether the visitor is its player. */
  readonly isOwn: boolean;
  /** Whether the rank has come while the page was open. */
  readonly isNew: boolean;
  readonly at: string;
}

export function Moment(props: Props) {
  const { value, places, isOwn, isNew } = props;
  const { rank, players, rank_before: from } = value;
  const main = places.find(({ board }) => board === MAIN);
  const isShared = main?.row.rank === rank && main.row.tied;
  const medal = main?.row.rank === rank && hasMedal(main.head, main.row) ? rank : null;
  const others = places.filter(({ board, row }) => board !== MAIN && row.submission === value.submission);
  return (
    <>
      <div class={`rise m${medal ?? 0}`}>
        {medal !== null && <Medal rank={medal} tied={isShared} />}
        <h1>
          {mix("{rank} of {players}", {
            rank: (
              <>
                {from != null && from !== rank && (
                  <>
                    <s>{spellRank(from, false)}</s> <s aria-hidden="true">→</s>{" "}
                  </>
                )}
                <b>{spellRank(rank, false)}</b>
              </>
            ),
            players: formatCount(players),
          })}
        </h1>
        <Track rank={rank} from={from} total={players} />
        <p class="said">
          {isShared && `${say("The place is shared.")} `}
          {tellStory(props, main)} {main && <span class="soft">{describeNext(main)}</span>}
        </p>
      </div>
      {main && <Ladder place={main} from={from != null && from > rank ? from : null} isOwn={isOwn} moves={isNew} />}
      {others.length > 0 && (
        <p class="fine">
          {others.map(({ board, title, row, head }) => (
            <span key={board}>
              <a href={boardPath(value.benchmark, board)}>{title}</a>:{" "}
              {say("{rank} of {players}.", { rank: spellRank(row.rank, row.tied), players: head.total })}{" "}
            </span>
          ))}
        </p>
      )}
    </>
  );
}

/** Return who was passed; else what counts instead, or whose it is. */
function tellStory({ value, places, isOwn, at }: Props, main: BoardPlace | undefined): ComponentChildren {
  const { rank, rank_before: from, personal_best: best, parts } = value;
  const players = nameAll(main && from != null ? listPassed(main, from) : [], (from ?? rank) - rank);
  const player = <b>{isolate(value.name)}</b>;
  if (players.length > 0)
    return isOwn ? mix("You passed {players}.", { players }) : mix("{player} passed {players}.", { player, players });
  const metric = main?.head.metrics.find(({ primary }) => primary);
  if (best && !best.is_new && metric) {
    const [kept, own] = [best.scores[metric.id], value.scores?.[metric.id]];
    const now = formatWithUnit(kept, metric);
    if (kept == null || own == null || kept === own) return say("The best stays {best}.", { best: now });
    const distance = formatWithUnit(Math.abs(kept - own), metric);
    return say("The best stays {best}: this is {distance} behind.", { best: now, distance });
  }
  // What was scored is of one part, or of the whole board.
  const stage = places.find(({ board }) => board === (parts?.length === 1 ? parts[0]?.part : MAIN));
  if (!stage || stage.row.submission === value.submission) return isOwn ? null : player;
  return mix("{link} counts now.", {
    link: <a href={submissionPath(value.benchmark, stage.row.submission, at)}>{say("Another submission")}</a>,
  });
}

/** Return whom a row has passed that was at a rank before: those of the head, or those around it. */
function listPassed({ head, row, around }: BoardPlace, from: number): readonly Row[] {
  const index = indexOf(head.rows, row.id);
  const rows = index < 0 ? around : head.rows.player.slice(0, from).map((_, at) => rowAt(head.rows, at));
  return rows.filter(({ rank }) => rank > row.rank && rank <= from);
}

const isolate = (name: string) => <bdi>{name}</bdi>;

/** Return names as a list in the visitor's language; of many the first, and how many more. */
function nameAll(rows: readonly Row[], count: number) {
  const named = rows.slice(0, MAX_NAMES);
  const rest = Math.max(count, rows.length) - named.length;
  const more = rest > 0 && rows.length > 0 ? [say("{count} other|{count} others", { count: rest })] : [];
  const texts = [...named.map(({ name }) => name), ...more];
  return new Intl.ListFormat(locale)
    .formatToParts(texts)
    .map(({ type, value }) => (type === "element" ? <b key={value}>{isolate(value)}</b> : value));
}
