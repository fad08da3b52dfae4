/** `/docs/games`: what game makers read, with the addresses of this site. */

import { fetchJson } from "../api/client.ts";
import { Hero } from "../components/layout.tsx";
import { Markdown } from "../components/markdown.tsx";
import { Skeleton, Unavailable } from "../components/states.tsx";
import { useTitle } from "../hooks/browser.ts";
import { usePolled } from "../hooks/polling.ts";
import { say } from "../languages/say.ts";

export function GuidePage() {
  const { value, phase, retry } = usePolled(
    "guide",
    (signal) => fetchJson<string>("/sdk/games.md", { signal }, (text) => text.replaceAll("{site}", location.origin)),
    () => null,
  );
  useTitle(say("For game makers"));
  if (value === null) {
    return (
      <Unavailable phase={phase} retry={retry} missing={say("No page has this address.")}>
        <Skeleton count={8} kind="line" />
      </Unavailable>
    );
  }
  return (
    <>
      <Hero>
        <h1>{say("For game makers")}</h1>
      </Hero>
      <Markdown text={value.slice(value.indexOf("\n"))} top={2} />
    </>
  );
}
