/** Parts of pages that no board needs first: their top, sections, facts, lists that are awaited, pills. */

import type { ComponentChildren } from "preact";

import type { State } from "../api/generated/types.ts";
import { say } from "../languages/say.ts";
import type { Polled } from "./hooks/polling.ts";
import { formatTime } from "./lib/format.ts";
import { boardPath } from "./lib/route.ts";
import { Bars, Unavailable } from "./states.tsx";
import { useBenchmarkState } from "./values.tsx";

interface SectionProps {
  /** What is unique of its heading's id. */
  readonly id: string;
  readonly title: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A part of a page, with a heading that names it. */
export const Section = ({ id, title, children, ...props }: SectionProps) => (
  <section {...props} aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
);

/** A label and its value in a description list. */
export const Fact = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** What stands in place of a list until it is there. */
export const Awaited = ({ list }: { readonly list: Pick<Polled<unknown>, "phase" | "retry"> }) => (
  <Unavailable phase={list.phase} retry={list.retry} missing={say("There is no such benchmark.")}>
    <Bars count={3} />
  </Unavailable>
);

interface StateProps {
  readonly opens: string | null;
  readonly closes: string | null;
  /** The state according to the server. Without it, the times decide. */
  readonly state?: State;
}

/** Whether a benchmark accepts results, and until or from when. */
export function StatePill({ opens, closes, state }: StateProps) {
  const current = useBenchmarkState(opens, closes);
  const shown = state ?? current;
  const at = shown === "not_open_yet" ? opens : closes;
  const time = at === null ? "" : formatTime(Date.parse(at));
  const texts = {
    not_open_yet: time ? say("Opens {time}", { time }) : say("Opens later"),
    open: time ? say("Open until {time}", { time }) : say("Open"),
    closed: time ? say("Closed {time}", { time }) : say("Closed"),
  };
  return <span class={shown === "open" ? "pill good" : "pill"}>{texts[shown]}</span>;
}

interface HeroProps {
  /** The board that the page belongs to. */
  readonly board?: { readonly id: string; readonly title: string };
  /** Which of its boards the visitor came from. */
  readonly at?: string;
  readonly children: ComponentChildren;
}

/** The top of a page, with links to the pages above it. */
export const Hero = ({ board, at, children }: HeroProps) => (
  <div class="hero">
    <p class="crumbs">
      <a href="/">{say("Boards")}</a> {board && <a href={boardPath(board.id, at)}>{board.title}</a>}
    </p>
    {children}
    <p class="printed">{location.href}</p>
  </div>
);
