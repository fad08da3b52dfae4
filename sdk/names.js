/*! The rules of names and labels on a Laurel site, Apache-2.0: what its API checks, for games and pages. */

// Written by `make types` from the API's own file.
const RULES = {"max_length": 64, "spaces": "\t\n\u000b\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000", "invisible": "\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\ud82f\udca0-\ud82f\udca3\ud834\udd73-\ud834\udd7a\udb40\udc00-\udb43\udfff", "blank": "\u2800\ufffc\ufffd\ud80d\udc41\ud80d\udc42\ud81b\udfe4\ud834\udd59", "keycaps": "0123456789#*\u203c\u2049", "styles": "\ufe0e\ufe0f", "viramas": "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1715\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed\ud802\ude3f\ud804\udc46\ud804\udc70\ud804\udc7f\ud804\udcb9\ud804\udd33\ud804\udd34\ud804\uddc0\ud804\ude35\ud804\udeea\ud804\udf4d\ud805\udc42\ud805\udcc2\ud805\uddbf\ud805\ude3f\ud805\udeb6\ud805\udf2b\ud806\udc39\ud806\udd3d\ud806\udd3e\ud806\udde0\ud806\ude34\ud806\ude47\ud806\ude99\ud807\udc3f\ud807\udd44\ud807\udd45\ud807\udd97\ud807\udf41\ud807\udf42", "joins_next": "\u0626\u0628\u062a\u062b\u062c\u062d\u062e\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0649\u064a\u0679\u067a\u067b\u067e\u067f\u0680\u0683\u0684\u0686\u0687\u06a4\u06a6\u06a9\u06ad\u06af\u06b1\u06b3\u06bb\u06be\u06c1\u06cc\u06d0", "joins_last": "\u0622\u0623\u0624\u0625\u0626\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u0671\u0679\u067a\u067b\u067e\u067f\u0680\u0683\u0684\u0686\u0687\u0688\u068c\u068d\u068e\u0691\u0698\u06a4\u06a6\u06a9\u06ad\u06af\u06b1\u06b3\u06ba\u06bb\u06be\u06c0\u06c1\u06c5\u06c6\u06c7\u06c8\u06c9\u06cb\u06cc\u06d0\u06d2\u06d3", "flags": ["gbeng", "gbsct", "gbwls"], "ranks": ["admin", "administrator", "moderator"], "rank_parts": ["verified", "official"], "no_ranks": ["unverified", "unofficial"], "faults": {"long": "expected at most 64 characters", "half": "this name contains half an emoji; remove it, or type the emoji again", "invisible": "this name contains an invisible character; remove it, or use letters", "letters": "expected at least one letter or digit", "marks": "expected at most 3 combining marks in a row", "accent": "expected each accent on a letter, found one by itself", "rank": "a guest may not be named verified, official or administrator", "number": "expected no `\u00b7` and a number at the end, by which the site tells guests of one name apart"}};

const [NON_JOINER, JOINER] = ["\u200c", "\u200d"];
const FLAG = "\u{1f3f4}";
const FIRST_PICTURE = 0x2190;
const FLAGS = RULES.flags.map(
  (region) => FLAG + String.fromCodePoint(...[...region].map((letter) => 0xe0000 + letter.codePointAt(0)), 0xe007f),
);
const UNSEEN = new RegExp(`[\\p{C}\\p{Zl}\\p{Zp}${RULES.invisible}${RULES.blank}]`, "u");
const STYLED = new RegExp(`([\\p{S}${RULES.keycaps}])[${RULES.styles}]+`, "gu");
const isEdge = (character) => RULES.spaces.includes(character) || /^\p{Cs}$/u.test(character);
const isPicture = (character) => /[\p{So}\p{Sk}\p{Sm}]/u.test(character) && character.codePointAt(0) >= FIRST_PICTURE;

/** Drop white space and half an emoji around a text. */
function trim(text) {
  const characters = [...text];
  while (isEdge(characters.at(-1))) characters.pop();
  while (isEdge(characters[0])) characters.shift();
  return characters.join("");
}

/** Return whether a script or an emoji needs this joiner. */
function isNeeded(before, joiner, after) {
  const last = before.at(-1) ?? " ";
  if (RULES.viramas.includes(last)) return after && !/[\p{P}\p{Z}]/u.test(after) ? /\p{Lo}/u.test(after) : joiner === JOINER;
  if (!after) return false;
  if (joiner === JOINER) return isPicture(last) && isPicture(after);
  return RULES.joins_next.includes(before.findLast((each) => !/\p{Mn}/u.test(each)) ?? " ") && RULES.joins_last.includes(after);
}

/** Return a part of a text without what only joins: joiners, and the tags of flags. */
const dropJoiners = (text) =>
  FLAGS.reduce((plain, flag) => plain.replaceAll(flag, FLAG), text.replace(/[\u200c\u200d]/g, ""));

function findShownFault(text, shown) {
  const characters = [...shown];
  const isLoose = (each, index) =>
    (each === JOINER || each === NON_JOINER) && !isNeeded(characters.slice(0, index), each, characters[index + 1]);
  const harmful = dropJoiners(text).match(UNSEEN)?.[0] ?? characters.find(isLoose);
  if (harmful) return /\p{Cs}/u.test(harmful) ? "half" : "invisible";
  if (characters.length > RULES.max_length) return "long";
  if (!/[\p{L}\p{N}]/u.test(shown)) return "letters";
  return /\p{M}{4}/u.test(shown) ? "marks" : null;
}

/** Return what only a guest's name may not be. What merely looks so, and whose a name is, the site says. */
function findGuestFault(shown) {
  const words = dropJoiners(shown).match(/[\p{L}\p{N}]+/gu).map((word) => word.toLowerCase());
  const letters = words.filter((word) => !RULES.no_ranks.includes(word)).join("");
  if (words.some((word) => RULES.ranks.includes(word)) || RULES.rank_parts.some((part) => letters.includes(part))) return "rank";
  return /·\s?\d+$| ·\s?[\p{L}\p{N}_]+$/u.test(shown) ? "number" : null;
}

/**
 * Read a name or a label as the site shows it.
 *
 * @returns {{shown: string, fault: string | null, message: string | null}} The fault is a word for programs, the message
 *   for people; both null if the site takes it.
 */
export function readName(name, { isLabel = false } = {}) {
  const text = trim(name.replace(STYLED, "$1"));
  const shown = text.normalize("NFKC").replace(/\s+/g, " ").trim();
  const hasAccent = [...text].some((each) => /\p{S}/u.test(each) && /\p{M}/u.test(each.normalize("NFKC")));
  const fault = hasAccent ? "accent" : (findShownFault(text, shown) ?? (isLabel ? null : findGuestFault(shown)));
  return { shown, fault, message: fault && RULES.faults[fault] };
}
