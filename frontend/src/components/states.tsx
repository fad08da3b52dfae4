/** What a page shows when it has nothing to show, or not the newest. */

import type { ComponentChildren } from "preact";

import type { Polled } from "../hooks/polling.ts";
import { boardPath } from "../lib/route.ts";

interface NoticeProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly heading?: "h1" | "h2";
  readonly alert?: boolean;
}

/** A few words where the content would be. */
export const Notice = ({ title, children, heading: Heading = "h1", alert = false }: NoticeProps) => (
  <div class="notice" role={alert ? "alert" : undefined}>
    <Heading>{title}</Heading>
    {children}
  </div>
);

interface UnavailableProps {
  readonly phase: Exclude<Polled<unknown>["phase"], "ok" | "stale">;
  readonly retry: () => void;
  /** What is missing, should it be missing. */
  readonly missing: string;
  /** The board to go back to, should something of it be missing. */
  readonly board?: string | undefined;
  /** What to show while it loads. */
  readonly children: ComponentChildren;
}

/** Says why there is no content: it loads, it is missing, it cannot be reached, it is too new. */
export function Unavailable({ phase, retry, missing, board, children }: UnavailableProps) {
  switch (phase) {
    case "loading":
      return (
        <div class="loading" aria-busy="true">
          <p class="unseen" role="status">
            Loading …
          </p>
          {children}
        </div>
      );
    case "missing":
      return (
        <Notice title="Nothing here">
          <p>{missing}</p>
          <a class="button" href={board === undefined ? "/" : boardPath(board)}>
            {board === undefined ? "All boards" : "See the board"}
          </a>
        </Notice>
      );
    case "newer":
      return (
        <Notice title="There is a new version of this page" alert>
          <p>The data are newer than what this page can read.</p>
          <button type="button" class="button primary" onClick={() => location.reload()}>
            Load the new version
          </button>
        </Notice>
      );
    case "failed":
      return (
        <Notice title="Cannot be reached" alert>
          <p>The server did not answer. This page keeps trying.</p>
          <button type="button" class="button" onClick={retry}>
            Try now
          </button>
        </Notice>
      );
  }
}

interface StaleProps {
  readonly stale: boolean;
  readonly since: string;
  readonly retry: () => void;
}

/** Says above the content that it may be old; the place is there all the time, so that screen readers hear it. */
export const StaleBanner = ({ stale, since, retry }: StaleProps) => (
  <div role="status">
    {stale && (
      <div class="banner">
        <p>
          <strong>Not up to date.</strong> The server cannot be reached. This is from {since}; the page keeps trying.
        </p>
        <button type="button" class="button small" onClick={retry}>
          Try now
        </button>
      </div>
    )}
  </div>
);

/** Grey bars where lines of text will be. */
export const Bars = ({ count, kind }: { readonly count: number; readonly kind: "row" | "card" | "line" }) => (
  <div class={`bars bars-${kind}`} aria-hidden="true">
    {Array.from({ length: count }, (_, index) => (
      <div key={index} class="bar" />
    ))}
  </div>
);
