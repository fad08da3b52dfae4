/** `/docs/{guide}`: pages for people who have no clone, in English, with the addresses of this site. */

import { fetchJson } from "../api/client.ts";
import { Hero } from "../components/layout.tsx";
import { Markdown } from "../components/markdown.tsx";
import { Unavailable } from "../components/states.tsx";
import { useTitle } from "../hooks/browser.ts";
import { usePolled } from "../hooks/polling.ts";
import { say } from "../languages/say.ts";

export function GuidePage() {
  const guide = location.pathname.split("/")[2] ?? "";
  const { value, phase, retry } = usePolled(guide, (signal) =>
    fetchJson<string>(`/sdk/${guide}.md`, { signal }, (text) => text.replaceAll("{site}", location.origin)),
  );
  const title = value?.slice(2, value.indexOf("\n")) ?? "";
  useTitle(title);
  if (value === null) return <Unavailable phase={phase} retry={retry} missing={say("No page has this address.")} />;
  return (
    <>
      <Hero>
        <h1 lang="en">{title}</h1>
      </Hero>
      <div lang="en">
        <Markdown text={value.slice(value.indexOf("\n"))} top={2} />
      </div>
    </>
  );
}
