/** Parts that several tasks of owners have. */

import { say } from "../../languages/say.ts";
import { TextField } from "../fields.tsx";

/** A field of a form for a reason, which everybody reads. */
export const ReasonField = ({ hint }: { readonly hint: string }) => (
  <TextField label={say("Reason")} hint={hint} name="reason" maxLength={300} />
);

/** Return the text of a field, without spaces around it. */
export const readField = (form: FormData, name: string): string => String(form.get(name) ?? "").trim();
