/** What is said of a board beside its title: its clock, and whether it is frozen or closed. What leads a final says so. */

import type { Head, State } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { StatePill } from "../../ui/facts.tsx";
import { useNow } from "../../ui/hooks/browser.ts";
import { formatTime } from "../../ui/lib/format.ts";
import { formatCountdown, formatLeft } from "../rows/instances.ts";
import { sayFrozen } from "../rows/ranks.ts";
import type { Listed } from "../use_boards.ts";

interface Props {
  readonly head: Head;
  readonly listed: Listed;
  readonly state: State;
}

export function HeadState({ head: { opens, closes, final, frozen }, listed, state }: Props) {
  const next = state === "not_open_yet" ? opens : state === "open" ? closes : null;
  const time = (at: string) => formatTime(Date.parse(at));
  const lines = [
    listed.moved &&
      say("The end was moved from {time}: {reason}", { ...listed.moved, time: time(listed.moved.before) }),
    frozen && <strong>{sayFrozen(frozen)}</strong>,
    final?.at && (final.at === closes ? say("then the final") : say("final {time}", { time: time(final.at) })),
  ];
  return (
    <div class="state">
      {next && (
        <span>
          {state === "open" ? say("Closes in") : say("Opens in")} <Clock to={Date.parse(next)} />
        </span>
      )}
      {(opens ?? closes) && !(frozen && next) && <StatePill {...{ opens, closes, state }} />}
      {lines.filter(Boolean).map((line) => (
        <span>{line}</span>
      ))}
    </div>
  );
}

const DAY = 86_400_000;

/** What is left to a moment: `0:47:12`, or days and hours. */
function Clock({ to }: { readonly to: number }) {
  const now = useNow(1000);
  return (
    <strong class="left" role="timer">
      {to - now > DAY ? formatLeft(new Date(to).toISOString(), now) : formatCountdown(to - now)}
    </strong>
  );
}
