/** `/docs/{guide}`, `/api/docs`: pages for people who have no clone, in English; and `/about`, in any language. */

import { fetchJson } from "../api/client.ts";
import { mix, say } from "../languages/say.ts";
import { MEANINGS } from "../submissions/outcomes.ts";
import { useTitle } from "../ui/hooks/browser.ts";
import { usePolled } from "../ui/hooks/polling.ts";
import { Hero } from "../ui/facts.tsx";
import { Prose } from "../ui/prose.tsx";
import { Unavailable } from "../ui/states.tsx";

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

/** How ranks, ties, outcomes and signatures work. */
export function AboutPage() {
  useTitle(say("About"));
  return (
    <div class="prose page">
      <h1>{say("How it works")}</h1>
      <p class="lead">
        {say(
          "A game or the owner of a model submits a result. It is scored once, by public rules, and the board is updated.",
        )}
      </p>

      <h2>{say("From a result to the board")}</h2>
      <ol>
        <li>{say("A result arrives, and is stored unchanged. It is never lost.")}</li>
        <li>
          {say(
            "The benchmark’s scorer judges it, usually within seconds. A script of the benchmark’s owner runs in a sandbox without network or privileges.",
          )}
        </li>
        <li>
          {say(
            "The scores update the player’s standing, and the board is rendered again. Open pages update themselves.",
          )}
        </li>
      </ol>

      <Ranks />

      <h2>{say("Players")}</h2>
      <p>
        {mix(
          "A player is a {human} or a {model}. Players who hand in with a token are verified; all others are {guests}, and marked as guests. A guest’s name without a player key is nobody’s: anybody may add to its row.",
          {
            human: <strong>{say("human")}</strong>,
            model: <strong>{say("model")}</strong>,
            guests: <strong>{say("guests")}</strong>,
          },
        )}
      </p>

      <Outcomes />

      <h2>{say("Signatures")}</h2>
      <p>
        {say(
          "Every score has a signature: the benchmark’s version, the scorer with its parameters, and the versions of the software. With the same signature, the same result gets the same score, to the last digit. When something that decides the scores changes, the benchmark gets a new version. Scores of different versions are never on the same board.",
        )}
      </p>

      <h2>{say("Read the data")}</h2>
      <p>
        {mix(
          "Boards are plain JSON, for pages of any origin: {file} lists them. The {link} accepts results and returns their outcomes.",
          { file: <a href="/data/index.json">/data/index.json</a>, link: <a href="/api/docs">API</a> },
        )}{" "}
        {mix("Agents have {link}.", { link: <a href="/docs/agents">{say("a guide of their own")}</a> })}
      </p>
    </div>
  );
}

/** What each outcome means, and what opens its messages. */
const Outcomes = () => (
  <>
    <h2>{say("Outcomes")}</h2>
    <p>{say("Every submission has one of four outcomes, which say who must act.")}</p>
    <dl class="pairs">
      {Object.entries(MEANINGS).map(([outcome, { label, tone, explanation }]) => (
        <div key={outcome}>
          <dt>
            <span class={`outcome ${tone}`}>{label}</span>
          </dt>
          <dd>{explanation}</dd>
        </div>
      ))}
    </dl>
    <p>
      {mix(
        "When you hand in, you get a {receipt}. It opens the details and messages of that submission; without it, only outcome and scores are shown.",
        { receipt: <strong>{say("receipt")}</strong> },
      )}
    </p>
  </>
);

/** Which submissions count, and how players are ordered. */
const Ranks = () => (
  <>
    <h2>{say("Ranks and ties")}</h2>
    <p>
      {say(
        "Each board states in one sentence which of a player’s submissions count, and which columns decide the rank, the first before the second. Values are compared at full precision, not as they are rounded on the screen; the CSV has all digits.",
      )}
    </p>
    <p>
      {mix(
        "Players with the same values share a rank, and the next rank is skipped: 1, 2, 2, 4. A shared rank is written {sign}. Players who share a rank are listed by time, the earliest first. A player who has not done all parts gets no medal, nor does anybody if more than three players share it.",
        { sign: <strong>=2</strong> },
      )}
    </p>
    <p>
      {say(
        "Sorting, searching and filtering change what you see, never a rank. A missing value is shown as “–” and is last in either direction.",
      )}
    </p>
  </>
);
