/** What stands in place of a list until it is there. */

import { say } from "../languages/say.ts";
import type { Polled } from "./hooks/polling.ts";
import { Bars, Unavailable } from "./states.tsx";

export const Awaited = ({ list }: { readonly list: Pick<Polled<unknown>, "phase" | "retry"> }) => (
  <Unavailable phase={list.phase} retry={list.retry} missing={say("There is no such benchmark.")}>
    <Bars count={3} kind="line" />
  </Unavailable>
);
