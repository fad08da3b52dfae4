/** Who a player is, in words: the one way in which a name is written where no tags stand beside it. */

/** Returns whether an id is one of those that are reserved for guests. */
export const isGuest = (player: string): boolean => player === "guest" || player.startsWith("guest-");

/** Returns the words that must stand behind a name: none for a verified player, and for the guest named "guest". */
export const guestMark = (name: string, verified: boolean): string => (verified || name === "guest" ? "" : " (guest)");

/** Returns a name for the middle of a sentence; marks around it keep its writing direction its own. */
export const writePlayer = (name: string, verified: boolean): string =>
  `\u2068${name}\u2069${guestMark(name, verified)}`;
