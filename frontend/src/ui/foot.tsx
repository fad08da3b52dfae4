/** What every page has around it, loaded after it: the choice of a language, the visitor's player, and the foot. */

import { Face } from "./icons.tsx";
import { anyPlayer } from "./hooks/storage.ts";
import { isGuest } from "./lib/guests.ts";
import { NAMES } from "../languages/names.ts";
import { language, say } from "../languages/say.ts";

/** The choice of a language: the address keeps it, and the next visits do. */
const Languages = () => (
  <select
    class="languages"
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
);

/** The end of the site's bar. */
export const Corner = () => {
  const player = anyPlayer();
  return (
    <div class="corner">
      <Languages />
      {player && (
        <a class="you" href={`/p/${player}`} aria-label={say("You")}>
          <Face player={player} kind="human" verified={!isGuest(player)} size={24} />
          <span>{say("You")}</span>
        </a>
      )}
    </div>
  );
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
      <Languages />
    </div>
  </footer>
);
