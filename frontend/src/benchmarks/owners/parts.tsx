/** Parts that several tasks of owners have. */

import { say } from "../../languages/say.ts";
import { TextField } from "../../ui/forms/fields.tsx";

/** A field of a form for a reason, which everybody reads. */
export const ReasonField = ({ hint }: { readonly hint: string }) => (
  <TextField label={say("Reason")} hint={hint} name="reason" maxLength={300} />
);

/** Return the text of a field of a form, without spaces around it. */
export const readField = (form: HTMLFormElement, name: string): string =>
  String(new FormData(form).get(name) ?? "").trim();
