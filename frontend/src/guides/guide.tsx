/** `/docs/{guide}`: pages for people who have no clone, in English, with the addresses of this site. */

import { say } from "../languages/say.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { Hero } from "../ui/layout.tsx";
import { Prose } from "../ui/prose.tsx";
import { Unavailable } from "../ui/states.tsx";
import { fetchGuide } from "./openapi.ts";

export { AboutPage } from "./about.tsx";
export { ApiPage } from "./api.tsx";

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

export function MissingPage() {
  useTitle(say("Page not found"));
  return <Unavailable phase="missing" retry={() => undefined} missing={say("No page has this address.")} />;
}
