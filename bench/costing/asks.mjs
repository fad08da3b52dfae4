/** Counts what open pages ask for, by the rule that they have themselves: sdk/beat.js and sdk/cards.js. */

import { nextPause, PLACE_SECONDS } from "../../sdk/beat.js";
import { cardPause, INDEX_SECONDS, widePause } from "../../sdk/cards.js";

/**
 * Return how often a page asks for a head, how often it gets a new one, and how often it asks for the own place.
 *
 * @param seconds How long it is open.
 * @param every Seconds between two changes; null if there is none.
 * @param beat What the heads name.
 * @param cards How many cards of the front page, on which nothing happens, ask beside its wide one; 0 on a board.
 */
function countAsks({ seconds, every, beat, cards }) {
  const counts = { asks: 0, changed: 0, places: cards > 0 ? 0 : 1 };
  let unchanged = 0;
  let shown = 0;
  let placed = 0;
  let hasMoved = false;
  const pause = cards > 0 ? widePause : nextPause;
  for (let now = 0; now < seconds; now += pause(unchanged, beat)) {
    const latest = every === null ? 0 : Math.floor(now / every);
    const isNew = counts.asks === 0 || latest !== shown;
    unchanged = isNew ? 0 : unchanged + 1;
    hasMoved ||= latest !== shown && cards === 0;
    shown = latest;
    counts.asks += 1;
    counts.changed += isNew ? 1 : 0;
    if (hasMoved && now >= placed + PLACE_SECONDS) {
      counts.places += 1;
      placed = now;
      hasMoved = false;
    }
  }
  if (cards > 0) counts.asks += Math.ceil(seconds / INDEX_SECONDS);
  for (let now = 0, asked = 0; now < seconds; now += cardPause(asked), asked += 1) counts.asks += cards;
  return counts;
}

console.log(JSON.stringify(JSON.parse(process.argv[2]).map(countAsks)));
