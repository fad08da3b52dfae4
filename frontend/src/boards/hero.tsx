/** The top of a board: title, state, counts. The table says who leads, and by how much. */

import type { Head } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { Icon, Sign, UPLOAD } from "../ui/icons.tsx";
import { Hero } from "../ui/layout.tsx";
import { lazy } from "../ui/lazy.tsx";
import { submitPath } from "../ui/lib/route.ts";
import { useBenchmarkState } from "../ui/values.tsx";
import { titleOf } from "./rows/row.ts";
import type { Listed } from "./use_boards.ts";

const HeroFacts = lazy(() => import("./extras.ts").then((extras) => extras.HeroFacts), "labels-space");

export function BoardHero({ head, listed }: { readonly head: Head; readonly listed: Listed }) {
  const state = useBenchmarkState(head.opens, head.closes);
  const [play] = head.links ?? [];
  return (
    <Hero>
      <div class="headline board-head">
        <Sign board={head.id} size={48} />
        <div>
          <h1 lang="">{titleOf(head)}</h1>
          <p class="lead" lang="">
            {head.summary} <a href="#scored">{say("How it is scored")}</a>
          </p>
        </div>
        <div class="actions">
          {play && (
            <a class="button primary" href={play.url} rel="noopener">
              {play.label}
            </a>
          )}
          {(state !== "closed" || listed.late) && !listed.archived && (
            <Button primary={!play} href={submitPath(head.id, head.board)}>
              <Icon shape={UPLOAD} />
              {say("Hand in a result")}
            </Button>
          )}
        </div>
      </div>
      <HeroFacts head={head} isArchived={!!listed.archived} />
    </Hero>
  );
}
