/** The foot of every page, with the choice of a language. */

import { language, say } from "./say.ts";

/** The languages by the names that they have themselves. */
const NAMES: Readonly<Record<string, string>> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  vi: "Tiếng Việt",
  "zh-Hans": "简体中文",
};

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
      {/* The address keeps the choice, and the next visits do. */}
      <select
        aria-label={say("Language")}
        onChange={(event) => {
          const query = new URLSearchParams(location.search);
          query.set("lang", event.currentTarget.value);
          location.search = String(query);
        }}
      >
        {Object.entries(NAMES).map(([id, name]) => (
          <option key={id} value={id} lang={id} selected={id === language}>
            {name}
          </option>
        ))}
      </select>
    </div>
  </footer>
);
