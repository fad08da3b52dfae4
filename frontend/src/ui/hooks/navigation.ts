/** The address as state: links and the back button change the page without a reload. */

import { useEffect, useState } from "preact/hooks";

import { canonicalPath } from "../lib/route.ts";

const CHANGED = "laurel:address";

/** Return the address of a page: an export has it in the fragment. */
const toAddress = (path: string): string => (globalThis.answerFromFiles ? "#" : "") + path;

/** Return what the page, or a link, leads to. Nothing but an export reads a page's address in a fragment. */
export const addressOf = ({ hash, href, origin }: Location | HTMLAnchorElement = location): URL =>
  new URL(globalThis.answerFromFiles && hash.startsWith("#/") ? hash.replace(/^#[/\\]+/, "/") : href, origin);

/** Return path and query, and render again when they change. */
export function useAddress(): { readonly path: string; readonly search: string } {
  const [address, setAddress] = useState(readAddress);
  useEffect(() => {
    const update = (): void => {
      // The browser restores the place at once, when the page is not drawn yet: it needs its former height.
      main().style.minHeight = `${history.state ?? 0}px`;
      setAddress(readAddress());
    };
    const leaving = new AbortController();
    for (const name of ["popstate", CHANGED]) addEventListener(name, update, leaving);
    return () => leaving.abort();
  }, []);
  return address;
}

const main = (): HTMLElement => document.getElementById("main")!;

/** Open another page, scrolled to its top. The step back to this one knows its height. */
export function openPage(url: string): void {
  history.replaceState(main().offsetHeight, "");
  history.pushState(null, "", toAddress(url));
  dispatchEvent(new Event(CHANGED));
  scrollTo(0, 0);
}

/** Change the query of the page; `push` makes a step for the back button. */
export function changeView(search: string, step: "push" | "replace"): void {
  history[`${step}State` as const](null, "", toAddress(addressOf().pathname + search));
  dispatchEvent(new Event(CHANGED));
}

/** Handle clicks on links to pages of this site, unless the visitor wants a new tab or a file. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return;
  const { pathname, search, hash } = addressOf(link);
  if (/^\/(data|schema|api)\//.test(pathname) && pathname !== "/api/docs") return;
  if (hash !== "" && pathname === addressOf().pathname) return;
  event.preventDefault();
  openPage(canonicalPath(pathname) + search);
}

/** Read the address, replacing another spelling of a page's path by the canonical one. */
function readAddress(): { readonly path: string; readonly search: string } {
  const { pathname, search, hash } = addressOf();
  const path = canonicalPath(pathname);
  if (path !== pathname) history.replaceState(null, "", toAddress(path + search + hash));
  return { path, search };
}
