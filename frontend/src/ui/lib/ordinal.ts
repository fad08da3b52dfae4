/** Ranks in words. */

import { locale, say } from "../../languages/say.ts";

/** Return a rank in words: `2nd`, `11th`; a shared one as `shared 2nd`. */
export function spellRank(rank: number, tied: boolean): string {
  const forms: Readonly<Record<string, string>> = {
    one: say("{rank}st", { rank }),
    two: say("{rank}nd", { rank }),
    few: say("{rank}rd", { rank }),
  };
  const ordinal = forms[new Intl.PluralRules(locale, { type: "ordinal" }).select(rank)] ?? say("{rank}th", { rank });
  return tied ? say("shared {rank}", { rank: ordinal }) : ordinal;
}
