/** The players of a benchmark who are banned, and a form that bans a player or a name, or gives a player more time. */

import { useId, useState } from "preact/hooks";

import type { BanView, Head } from "../../api/generated/types.ts";
import { fetchBans, post } from "../../api/views.ts";
import type { Row } from "../../boards/rows/row.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { Awaited } from "../../ui/facts.tsx";
import { Form, readField, ReasonField, Segments, TextField } from "../../ui/forms/fields.tsx";
import { useRequest } from "../../ui/forms/request.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { formatTime } from "../../ui/lib/format.ts";
import { guestMark } from "../../ui/lib/guests.ts";
import { isPlayer, playerPath } from "../../ui/lib/route.ts";
import { ShortName } from "../../ui/player_name.tsx";
import { TimeAgo } from "../../ui/values.tsx";

const IN_TIME = say("What comes until then is in time, and the final waits for it.");
const LATE_AGAIN = say("What came within it is late again.");
type What = "player" | "name" | "time";
const WHAT: readonly (readonly [What, string])[] = [
  ["player", say("Ban a player")],
  ["name", say("Ban a name")],
  ["time", say("More time")],
];

/** A player with a row, or who came by a link and has none yet. */
export type Person = Pick<Row, "player" | "name" | "verified">;

/** A ban of a player or a name, or more time for a player. */
interface Ruling {
  readonly route: "ban" | "extension";
  readonly who: { readonly player: string } | { readonly name: string };
  readonly wish: { readonly reason?: string; readonly until?: string };
}

interface Props {
  readonly token: string;
  readonly benchmark: string;
  readonly head: Head | null;
  /** Who is suggested. */
  readonly people: readonly Person[];
}

export function Bans({ token, benchmark, head, people }: Props) {
  const id = useId();
  const polled = usePolled(benchmark, (signal) => fetchBans(benchmark, signal));
  const [what, setWhat] = useState<What>("player");
  const [answer, setAnswer] = useState("");
  const { errors, setErrors, send } = useRequest();
  const closes = head?.final?.is_shown ? null : head?.closes;
  const isTime = what === "time" && closes != null;
  const change = async (ruling: Ruling, undo: boolean, form?: HTMLFormElement): Promise<void> => {
    setAnswer("");
    const wish = { ...ruling.who, ...(undo ? { undo } : ruling.wish) };
    if (!(await send(post<object>(`/api/benchmarks/${benchmark}/${ruling.route}`, token, wish)))) return;
    setAnswer(describe(ruling, undo, people));
    polled.retry();
    form?.reset();
  };
  const submit = (form: HTMLFormElement): void => {
    const [subject, reason, time] = [readField(form, "subject"), readField(form, "reason"), readField(form, "until")];
    if (what !== "name" && !isPlayer(subject)) return setErrors([say("Choose a player of the board, or enter an id.")]);
    const who = what === "name" ? { name: subject } : { player: subject };
    const until = time === "" ? null : { until: new Date(time).toISOString() };
    const ruling: Ruling = { route: isTime ? "extension" : "ban", who, wish: { reason, ...until } };
    const undo = isTime && until === null;
    if (!isTime || confirm(`${describe(ruling, undo, people)} ${undo ? LATE_AGAIN : IN_TIME}`))
      void change(ruling, undo, form);
  };
  const bans = polled.value?.bans;
  return (
    <>
      <Form
        action={isTime ? say("Give more time") : say("Ban")}
        errors={errors}
        after={<p role="status">{answer}</p>}
        onSend={submit}
      >
        <Segments
          legend={say("What to do")}
          options={closes == null ? WHAT.slice(0, 2) : WHAT}
          value={what}
          onChange={setWhat}
        />
        {what === "name" ? (
          <TextField label={say("Name")} hint={say("and what looks like it")} name="subject" />
        ) : (
          <TextField
            label={say("Player")}
            hint={say("by the id, as in the address of the player’s page")}
            name="subject"
            list={id}
          />
        )}
        <PlayerOptions id={id} people={people} />
        {isTime && (
          <TextField
            label={say("Until")}
            hint={say("after {time}; none takes it back", { time: formatTime(Date.parse(closes)) })}
            type="datetime-local"
            name="until"
          />
        )}
        <ReasonField hint={isTime ? say("the player reads it") : say("everybody can read it")} />
      </Form>
      <h2>{say("Banned")}</h2>
      {!bans && <Awaited list={polled} />}
      <ul class="plain-list">
        {bans?.map((held) => (
          <li key={held.player ?? held.name}>
            <Held {...{ benchmark, held }} onLift={(who) => void change({ route: "ban", who, wish: {} }, true)} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The players who take part, for a field that suggests them. */
const PlayerOptions = ({ id, people }: Pick<Props, "people"> & { readonly id: string }) => (
  <datalist id={id}>
    {people.map(({ player, name, verified }) => (
      <option key={player} value={player} label={name + guestMark(name, verified)} />
    ))}
  </datalist>
);

/** Return what a ruling does, in a sentence. */
function describe({ route, who: subject, wish: { until } }: Ruling, undo: boolean, people: Props["people"]): string {
  const known = "player" in subject && people.find(({ player }) => player === subject.player);
  const name = "name" in subject ? subject.name : known ? known.name : subject.player;
  const who = `\u2068${name}\u2069`;
  if (route === "ban") return undo ? say("The ban of {who} is lifted.", { who }) : say("Banned {who}.", { who });
  return until === undefined
    ? say("{who} has no more time.", { who })
    : say("{who} has time until {time}.", { who, time: formatTime(Date.parse(until)) });
}

const whoOf = ({ player, name }: BanView): Ruling["who"] => (player === null ? { name: name ?? "" } : { player });

interface HeldProps {
  readonly benchmark: string;
  readonly held: BanView;
  readonly onLift: (who: Ruling["who"]) => void;
}

const Held = ({ benchmark, held, onLift }: HeldProps) => (
  <>
    <span>
      {held.player === null ? (
        <ShortName name={held.name ?? ""} verified={false} />
      ) : (
        <a href={playerPath(benchmark, held.player)}>
          <bdi>{held.player_name}</bdi>
        </a>
      )}{" "}
      <span class="fine">
        <TimeAgo at={held.at} /> · {held.reason}
      </span>
    </span>
    <Button small onClick={() => onLift(whoOf(held))}>
      {say("Lift the ban")}
    </Button>
  </>
);
