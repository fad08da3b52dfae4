/** When the front page asks again. */

import { nextPause } from "./beat.js";

/** The front page asks for the list of boards so often. */
export const INDEX_SECONDS = 60;
/** For the head of its wide card no more often than so, for that of a card in view so often. */
const WIDE_SECONDS = 5;
const CARD_SECONDS = 30;
/** After so many answers without a change a card is asked for half as often. */
const CARD_STEP = 10;

/** Return after how many seconds the wide card of the front page asks again; the arguments are those of `nextPause`. */
export const widePause = (unchanged, named) => Math.max(WIDE_SECONDS, nextPause(unchanged, named));

/** Return after how many seconds another card asks again, after so many answers without a change. */
export const cardPause = (unchanged) => (unchanged < CARD_STEP ? 1 : 2) * CARD_SECONDS;
