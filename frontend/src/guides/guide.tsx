/** `/docs/{guide}`, `/api/docs`: pages for people who have no clone, in English, with the addresses of this site. */

import { fetchJson } from "../api/client.ts";
import { say } from "../languages/say.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { Hero } from "../ui/facts.tsx";
import { Prose } from "../ui/prose.tsx";
import { Unavailable } from "../ui/states.tsx";

export { AboutPage } from "./about.tsx";

/** A page of the documentation: its title, and the rest as HTML. */
interface Guide {
  readonly title: string;
  readonly html: string;
}

export function GuidePage() {
  const [, folder, page = ""] = location.pathname.split("/");
  const guide = folder === "api" ? "api" : page;
  const { value, phase, retry } = usePolled(guide, (signal) =>
    fetchJson<Guide>(
      `/sdk/${guide}.json`,
      { signal },
      (text) => JSON.parse(text.replaceAll("{site}", location.origin)) as unknown,
    ),
  );
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
