/** Starts the site in an export: its addresses are in the fragment, and its answers in the files beside it. */

import { options } from "preact";

import { say } from "../languages/say.ts";
import { formatTime } from "../ui/lib/format.ts";
import { boardPath, parseRoute } from "../ui/lib/route.ts";
import { fileOf, makeAnswers, type Manifest } from "./answers.ts";

const FOLDER = new URL("..", document.baseURI).href;
/** The pages that need no backend. */
const OFFERED = ["board", "player", "submission"];

const read = (name: string): Promise<Response> => fetch(FOLDER + name);
const manifest = (await (await read("manifest.json")).json()) as Manifest;
const start = boardPath(manifest.benchmark);

/** Return where a link leads in an export; nowhere if only the site has what it leads to. */
function lead(href: string): { readonly href?: string; readonly download?: string } {
  if (href === "/") return { href: `#${start}` };
  if (!href.startsWith("/")) return href === "#badge-title" ? {} : { href };
  const file = fileOf(href, manifest);
  if (file !== undefined) return { href: FOLDER + file, download: "" };
  return OFFERED.includes(parseRoute(href.split("?", 1)[0] ?? "").page) ? { href: `#${href}` } : {};
}

/** Show the part of the page that a link names; in an address the fragment names the page. */
function showPart(event: MouseEvent): void {
  const href = (event.target as Element).closest("a")?.getAttribute("href");
  if (!href?.startsWith("#") || href.startsWith("#/")) return;
  event.preventDefault();
  const part = document.getElementById(href.slice(1));
  part?.scrollIntoView();
  part?.focus();
}

globalThis.answerFromFiles = makeAnswers(manifest, read);
options.vnode = (vnode) => {
  const { href, src } = vnode.props as { readonly href?: string; readonly src?: string };
  if (vnode.type === "a" && href !== undefined) Object.assign(vnode.props, { href: undefined, ...lead(href) });
  if (vnode.type === "img" && src?.startsWith("/")) Object.assign(vnode.props, { src: src.slice(1) });
};
document.addEventListener("click", showPart);
if (!location.hash.startsWith("#/")) history.replaceState(null, "", `#${start}`);
const origin = document.querySelector<HTMLAnchorElement>("#origin");
if (origin) {
  const [site, time] = [manifest.site, formatTime(Date.parse(manifest.made_at))];
  origin.textContent = say("{site}, as exported on {time}", { site, time });
  origin.href = site + start;
}
await import(/* @vite-ignore */ "./main.js" as string);
