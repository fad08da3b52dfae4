/** The visitor's token: in the memory of the open page only, never in storage, address or log. A reload forgets it. */

import { useState } from "preact/hooks";

let current = "";

/** Return the token that all pages share, empty if there is none, and what changes it. */
export function useToken(): readonly [token: string, keep: (token: string) => void] {
  const [token, setToken] = useState(current);
  const keep = (next: string): void => {
    current = next;
    setToken(next);
  };
  return [token, keep];
}
