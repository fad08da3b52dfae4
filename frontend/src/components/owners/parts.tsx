/** Parts that several tasks of owners have. */

import { say } from "../../languages/say.ts";
import { TextField } from "../fields.tsx";
import { Bars, Unavailable } from "../states.tsx";
import type { Polled } from "../../hooks/polling.ts";

/** What stands in place of a list until it is there. */
export const Awaited = ({ list }: { readonly list: Pick<Polled<unknown>, "phase" | "retry"> }) => (
  <Unavailable phase={list.phase} retry={list.retry} missing={say("There is no such benchmark.")}>
    <Bars count={3} kind="line" />
  </Unavailable>
);

/** A field of a form for a reason, which everybody reads. */
export const ReasonField = ({ hint }: { readonly hint: string }) => (
  <TextField label={say("Reason")} hint={hint} name="reason" maxLength={300} />
);

/** Return the text of a field, without spaces around it. */
export const readField = (form: FormData, name: string): string => String(form.get(name) ?? "").trim();
