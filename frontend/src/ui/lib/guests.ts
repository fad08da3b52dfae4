/** Guests, whose names are not verified. */

import { say } from "../../languages/say.ts";

/** The player of all results that guests hand in without a name. */
export const NAMELESS = "guest";

/** Return whether an id is a guest's, or that of a guest who has joined since, whose rows say so. */
export const isGuest = (player: string): boolean => player === NAMELESS || player.startsWith("guest-");

/** Return the mark behind a guest's name; none for a verified player, nor for the guest named "guest". */
export const guestMark = (name: string, verified: boolean): string =>
  verified || name === NAMELESS ? "" : ` (${say("guest")})`;
