/** A button that shares the page: by what the device offers, else by copying its address. */

import { useState } from "preact/hooks";

import { say } from "../languages/say.ts";
import { Icon } from "./icons.tsx";

const SHARE = "M8 10V2M5 4.5L8 1.5l3 3M3.5 8v6h9V8";
const SHOWN_MILLISECONDS = 2500;

/** @param text What the page says, in a sentence that stands for itself. */
export function ShareButton({ text }: { readonly text: string }) {
  const [answer, setAnswer] = useState("");
  const share = async (): Promise<void> => {
    const url = location.href;
    try {
      if (navigator.share) return await navigator.share({ text, url });
      await navigator.clipboard.writeText(`${text} ${url}`);
      setAnswer(say("Copied"));
    } catch (error) {
      // Who closes the device's dialog has decided; else the clipboard is missing or forbidden.
      if ((error as DOMException).code !== DOMException.ABORT_ERR) setAnswer(say("Copy the address"));
    }
    setTimeout(() => setAnswer(""), SHOWN_MILLISECONDS);
  };
  return (
    <button type="button" class="button" onClick={share}>
      <Icon shape={SHARE} />
      <span role="status">{answer || say("Share")}</span>
    </button>
  );
}
