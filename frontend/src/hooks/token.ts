/**
 * The visitor's token: in the memory of the open page, an owner's in the storage of the tab, and in the browser's storage
 * only if the visitor asked for that when joining. It is never in an address or log.
 */

import { useState } from "preact/hooks";

/** Its key in local storage, and an owner's in session storage. */
const TOKEN = "token";

/** The token of an owner, who opens many pages: kept until the tab is closed. */
export const tabToken = {
  keep: (token: string): void => tryStorage(() => sessionStorage.setItem(TOKEN, token)),
  drop: (): void => tryStorage(() => sessionStorage.removeItem(TOKEN)),
};

/** The token that the visitor had the browser keep. */
export const keptToken = {
  find: (): string => tryStorage(() => localStorage.getItem(TOKEN)) ?? "",
  keep: (token: string): void => tryStorage(() => localStorage.setItem(TOKEN, token)),
  drop: (): void => {
    tabToken.drop();
    tryStorage(() => localStorage.removeItem(TOKEN));
  },
};

let current = tryStorage(() => sessionStorage.getItem(TOKEN)) ?? keptToken.find();

/** Return the token that all pages share, empty if there is none, and what changes it. */
export function useToken(): readonly [token: string, keep: (token: string) => void] {
  const [token, setToken] = useState(current);
  const keep = (next: string): void => {
    current = next;
    setToken(next);
  };
  return [token, keep];
}

/** Return what a use of the storage returns; undefined where the browser forbids it. */
export function tryStorage<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined; // Storage may be disabled. The token is then only shown.
  }
}
