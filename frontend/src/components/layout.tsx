/** What surrounds every page, and the top of a page. */

import type { ComponentChildren } from "preact";

import { language, LANGUAGES, say } from "../languages/say.ts";
import { boardPath } from "../lib/route.ts";

interface LayoutProps {
  readonly path: string;
  readonly children: ComponentChildren;
}

const LINKS: readonly (readonly [string, string])[] = [
  ["/", say("Boards")],
  ["/about", say("About")],
  ["/api/docs", say("API")],
];

export const Layout = ({ path, children }: LayoutProps) => (
  <>
    <a class="skip" href="#main">
      {say("Skip to the content")}
    </a>
    <header class="top">
      <div class="wide">
        <a class="brand" href="/">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          Laurel
        </a>
        <nav aria-label={say("Site")}>
          {LINKS.map(([href, label]) => (
            <a key={href} href={href} aria-current={path === href ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
      </div>
    </header>
    <main id="main" class="wide" tabIndex={-1}>
      {children}
    </main>
    <footer class="bottom">
      <div class="wide">
        <span>{say("Scores what games and AI models produce, and shows who leads.")}</span>
        <a href="/about">{say("How it works")}</a>
        {location.hostname === "localhost" && (
          <a href="/outbox" target="_self">
            {say("Outbox")}
          </a>
        )}
        <LanguageChoice />
      </div>
    </footer>
  </>
);

/** The languages by their own names. The address keeps the choice, and the next visits do. */
const LanguageChoice = () => (
  <select
    aria-label={say("Language")}
    onChange={(event) => {
      const query = new URLSearchParams(location.search);
      query.set("lang", event.currentTarget.value);
      location.search = String(query);
    }}
  >
    {Object.entries(LANGUAGES).map(([id, name]) => (
      <option key={id} value={id} lang={id} selected={id === language}>
        {name}
      </option>
    ))}
  </select>
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
  </div>
);
