/** The address as state: links and the back button change what is shown, without a reload. */

import { useEffect, useState } from "preact/hooks";

import { canonicalPath } from "../lib/route.ts";

const CHANGED = "laurel:address";

/** Gives path and query, and draws anew when they change. */
export function useAddress(): { readonly path: string; readonly search: string } {
  const [address, setAddress] = useState(readAddress);
  useEffect(() => {
    const update = (): void => setAddress(readAddress());
    addEventListener("popstate", update);
    addEventListener(CHANGED, update);
    return () => {
      removeEventListener("popstate", update);
      removeEventListener(CHANGED, update);
    };
  }, []);
  return address;
}

/** Goes to another page, at its top. */
export function openPage(url: string): void {
  history.pushState(null, "", url);
  dispatchEvent(new Event(CHANGED));
  scrollTo(0, 0);
}

/** Changes the view of the same page; only what is worth a step back makes one. */
export function changeView(search: string, step: "push" | "replace"): void {
  const url = location.pathname + search;
  if (step === "push") history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  dispatchEvent(new Event(CHANGED));
}

/** Takes over clicks on links to pages of this site, unless the visitor wants a new tab or a file. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/data/") || (link.pathname.startsWith("/api/") && link.pathname !== "/api/docs"))
    return;
  if (link.hash !== "" && link.pathname === location.pathname) return;
  event.preventDefault();
  openPage(canonicalPath(link.pathname) + link.search);
}

/** Reads the address; another spelling of a page's path is replaced by the path itself. */
function readAddress(): { readonly path: string; readonly search: string } {
  const path = canonicalPath(location.pathname);
  if (path !== location.pathname) history.replaceState(null, "", path + location.search + location.hash);
  return { path, search: location.search };
}
