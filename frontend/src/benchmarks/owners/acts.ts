/** What the owner did in the last hour in this tab, and what takes it back: the inverse act, with the owner's rights. */

import { useState } from "preact/hooks";

import type { Fetched } from "../../api/client.ts";
import { say } from "../../languages/say.ts";
import { ownActs } from "../../ui/hooks/storage.ts";
import { ban, decide, liftBan, type Banned } from "../requests.ts";

const UNDO_MILLISECONDS = 60 * 60_000;

export type Act = { readonly benchmark: string; readonly at: number } & (
  | { readonly kind: "accept" | "withdraw"; readonly submissions: readonly string[] }
  | { readonly kind: "ban" | "lift"; readonly who: Banned; readonly shown: string | null; readonly reason: string }
);

/** Return the owner's acts on a benchmark, the newest first, what adds one, and what takes one back. */
export function useActs(token: string, benchmark: string) {
  const [acts, setActs] = useState(readActs);
  const replace = (old: Act | null, act: Act | null): void =>
    setActs((before) => {
      const next = [...(act ? [act] : []), ...before.filter((each) => each !== old)].filter(isRecent);
      ownActs.keep(JSON.stringify(next));
      return next;
    });
  const undo = async (act: Act): Promise<Fetched<unknown>> => {
    const fetched = await takeBack(token, act);
    if (fetched.kind === "ok") replace(act, fetched.value && { ...fetched.value, at: Date.now() });
    return fetched;
  };
  const own = acts.filter((act) => act.benchmark === benchmark && isRecent(act));
  return { acts: own, add: (act: Act) => replace(null, act), undo };
}

const isRecent = (act: Act): boolean => Date.now() - act.at < UNDO_MILLISECONDS;

/** Take an act back, as a whole or again from its beginning; return the act that did so, if that can be undone. */
async function takeBack(token: string, act: Act): Promise<Fetched<Act | null>> {
  const { benchmark } = act;
  if ("who" in act) {
    const isBan = act.kind === "ban";
    const fetched = await (isBan ? liftBan(token, benchmark, act.who) : ban(token, benchmark, act.who, act.reason));
    return fetched.kind === "ok" ? { kind: "ok", value: { ...act, kind: isBan ? "lift" : "ban" } } : fetched;
  }
  const wish = act.kind === "accept" ? { reason: say("Accepted by mistake.") } : { undo: true };
  for (const submission of act.submissions) {
    const fetched = await decide(token, benchmark, submission, "withdraw", wish);
    if (fetched.kind !== "ok") return fetched;
  }
  return { kind: "ok", value: act.kind === "accept" ? { ...act, kind: "withdraw" } : null };
}

const readActs = (): readonly Act[] => JSON.parse(ownActs.find() ?? "[]") as readonly Act[];
