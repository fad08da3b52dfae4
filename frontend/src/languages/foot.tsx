/** The foot of every page, with the choice of a language. */

import { language, LANGUAGES, say } from "./say.ts";

export const Foot = () => (
  <footer class="bottom">
    <div class="wide">
      <span>{say("Scores what games and AI models produce, and shows who leads.")}</span>
      <a href="/about">{say("How it works")}</a>
      {location.hostname === "localhost" && (
        <a href="/outbox" target="_self">
          {say("Outbox")}
        </a>
      )}
      <LanguageChoice />
    </div>
  </footer>
);

/** The languages by their own names. The address keeps the choice, and the next visits do. */
const LanguageChoice = () => (
  <select
    aria-label={say("Language")}
    onChange={(event) => {
      const query = new URLSearchParams(location.search);
      query.set("lang", event.currentTarget.value);
      location.search = String(query);
    }}
  >
    {Object.entries(LANGUAGES).map(([id, name]) => (
      <option key={id} value={id} lang={id} selected={id === language}>
        {name}
      </option>
    ))}
  </select>
);
