/** The top of a board: its sign, title and rule, and what to do. */

import type { Head } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { Sign } from "../ui/icons.tsx";
import { lazy } from "../ui/lazy.tsx";
import { submitPath } from "../ui/lib/route.ts";
import { useBenchmarkState } from "../ui/values.tsx";
import { titleOf } from "./rows/row.ts";
import type { Listed } from "./use_boards.ts";

const HeadState = lazy(() => import("./extras.ts").then((extras) => extras.HeadState), "state", 0);

export function BoardHero({ head, listed }: { readonly head: Head; readonly listed: Listed }) {
  const state = useBenchmarkState(head.opens, head.closes);
  const [play, ...links] = head.links ?? [];
  return (
    <div class="head">
      <Sign board={head.id} size={48} />
      <h1 lang="">{titleOf(head)}</h1>
      <p>
        <span lang="">{head.summary}</span>{" "}
        {[
          { label: say("How it is scored"), url: "#scored" },
          ...links,
          ...(head.corrected_at
            ? [{ label: head.final?.is_shown ? say("Final") : say("corrected"), url: "#corrections" }]
            : []),
        ].map(({ label, url }, index) => (
          <>
            {index > 0 && " · "}
            <a href={url}>{label}</a>
          </>
        ))}
      </p>
      {!head.final?.is_shown && (head.opens ?? head.closes ?? head.frozen ?? head.final?.at) && (
        <HeadState {...{ head, listed, state }} />
      )}
      <div class="actions">
        {play && (
          <a class="button" href={play.url} rel="noopener">
            {play.label}
          </a>
        )}
        {(state !== "closed" || listed.late) && !listed.archived && (
          <Button primary={state !== "closed"} href={submitPath(head.id, head.board)}>
            {state === "closed" ? say("Hand in late") : say("Hand in")}
          </Button>
        )}
      </div>
      <p class="printed">{location.href}</p>
    </div>
  );
}
