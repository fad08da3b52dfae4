/** What surrounds every page, and the top of a page. */

import type { ComponentChildren } from "preact";

import { say } from "../languages/say.ts";
import { lazy } from "./lazy.tsx";
import { boardPath } from "./lib/route.ts";

const around = () => import("./foot.tsx");
const Foot = lazy(() => around().then((module) => module.Foot), "bottom");
const Corner = lazy(() => around().then((module) => module.Corner), "corner");

const LINKS: readonly (readonly [string, string])[] = [
  ["/", say("Boards")],
  ["/about", say("About")],
  ["/api/docs", "API"],
];

export const Layout = ({ path, children }: { readonly path: string; readonly children: ComponentChildren }) => (
  <>
    <a class="skip" href="#main">
      {say("Skip to the content")}
    </a>
    <header class="top">
      <div class="wide">
        <a class="brand" href="/">
          <img src="/favicon.svg" alt="" width="26" height="26" />
          Laurel
        </a>
        <nav aria-label={say("Site")}>
          {LINKS.map(([href, label]) => (
            <a key={href} href={href} aria-current={path === href ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <Corner />
      </div>
    </header>
    <main id="main" class="wide" tabIndex={-1}>
      {children}
    </main>
    <Foot />
  </>
);

interface HeroProps {
  /** The board that the page belongs to. */
  readonly board?: { readonly id: string; readonly title: string };
  /** Which of its boards the visitor came from. */
  readonly at?: string;
  readonly children: ComponentChildren;
}

/** The top of a page, with links to the pages above it. */
export const Hero = ({ board, at, children }: HeroProps) => (
  <div class="hero">
    <p class="crumbs">
      <a href="/">{say("Boards")}</a> {board && <a href={boardPath(board.id, at)}>{board.title}</a>}
    </p>
    {children}
    <p class="printed">{location.href}</p>
  </div>
);
