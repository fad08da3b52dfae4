/** `/docs/{guide}`: pages for people who have no clone, in English, with the addresses of this site. */

import { fetchGuide } from "../api/views.ts";
import { Hero } from "../components/layout.tsx";
import { Prose } from "../components/prose.tsx";
import { Unavailable } from "../components/states.tsx";
import { useTitle } from "../hooks/browser.ts";
import { usePolled } from "../hooks/polling.ts";
import { say } from "../languages/say.ts";

export function GuidePage() {
  const guide = location.pathname.split("/")[2] ?? "";
  const { value, phase, retry } = usePolled(guide, (signal) => fetchGuide(guide, signal));
  useTitle(value?.title ?? "");
  if (value === null) return <Unavailable phase={phase} retry={retry} missing={say("No page has this address.")} />;
  return (
    <>
      <Hero>
        <h1 lang="en">{value.title}</h1>
      </Hero>
      <div lang="en">
        <Prose html={value.html} />
      </div>
    </>
  );
}
