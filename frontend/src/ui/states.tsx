/** What a page shows if it has no content, or not the newest. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

import { mix, say } from "../languages/say.ts";
import { Button } from "./controls.tsx";
import type { Polled } from "./hooks/polling.ts";
import { boardPath } from "./lib/route.ts";

interface NoticeProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly heading?: "h1" | "h2";
  readonly alert?: boolean;
}

/** A few words in place of the content. */
export const Notice = ({ title, children, heading: Heading = "h1", alert = false }: NoticeProps) => (
  <div class="notice" role={alert ? "alert" : undefined}>
    <Heading>{title}</Heading>
    {children}
  </div>
);

interface UnavailableProps {
  readonly phase: Polled<unknown>["phase"];
  readonly retry: () => void;
  /** The sentence for the phase `missing`. */
  readonly missing: string;
  /** The board to go back to if something on it is missing. */
  readonly board?: string | undefined;
  /** Shown while loading; by default grey rows. */
  readonly children?: ComponentChildren;
}

/** Why there is no content: it is loading, missing, unreachable or too new. */
export function Unavailable({ phase, retry, missing, board, children }: UnavailableProps) {
  switch (phase) {
    case "missing":
      return (
        <Notice title={say("Page not found")}>
          <NoIndex />
          <p>{missing}</p>
          <Button href={board === undefined ? "/" : boardPath(board)}>
            {board === undefined ? say("All boards") : say("See the board")}
          </Button>
        </Notice>
      );
    case "newer":
      return (
        <Notice title={say("There is a new version of this page")} alert>
          <p>{say("This page is too old to read the data.")}</p>
          <Button primary onClick={() => location.reload()}>
            {say("Load the new version")}
          </Button>
        </Notice>
      );
    case "failed":
      return (
        <Notice title={say("Server not reachable")} alert>
          <p>{say("The server did not answer. This page keeps trying.")}</p>
          <Button onClick={retry}>{say("Try now")}</Button>
        </Notice>
      );
    default:
      return (
        <div class="loading" aria-busy="true">
          <p class="unseen" role="status">
            {say("Loading …")}
          </p>
          {children ?? <Bars count={12} />}
        </div>
      );
  }
}

/** Asks search engines to leave out a page that does not exist, though an address of this form is answered with 200. */
export function NoIndex() {
  useEffect(() => {
    const element = Object.assign(document.createElement("meta"), { name: "robots", content: "noindex" });
    document.head.append(element);
    return () => element.remove();
  }, []);
  return null;
}

interface StaleProps {
  readonly stale: boolean;
  readonly since?: string;
  readonly retry: () => void;
}

/** A warning that the content may be old. The element always exists, so that screen readers announce its text. */
export const StaleBanner = ({ stale, since = say("a moment ago"), retry }: StaleProps) => (
  <div role="status">
    {stale && (
      <div class="banner">
        <p>
          {mix("{warning} The server cannot be reached. This is from {since}; the page keeps trying.", {
            warning: <strong>{say("Not up to date.")}</strong>,
            since,
          })}
        </p>
        <Button small onClick={retry}>
          {say("Try now")}
        </Button>
      </div>
    )}
  </div>
);

/** Grey bars in place of the text that is loading. */
export const Bars = ({ count }: { readonly count: number }) => (
  <div class="bars" aria-hidden="true">
    {Array.from({ length: count }, (_, index) => (
      <div key={index} class="bar" />
    ))}
  </div>
);
