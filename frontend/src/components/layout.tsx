/** What surrounds every page. */

import type { ComponentChildren } from "preact";

interface Props {
  readonly path: string;
  readonly children: ComponentChildren;
}

export const Shell = ({ path, children }: Props) => (
  <>
    <a class="skip" href="#main">
      Skip to the content
    </a>
    <header class="top">
      <div class="wide">
        <a class="brand" href="/">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          Laurel
        </a>
        <nav aria-label="Site">
          <Place href="/" path={path}>
            Boards
          </Place>
          <Place href="/about" path={path}>
            About
          </Place>
          <Place href="/api/docs" path={path}>
            API
          </Place>
        </nav>
      </div>
    </header>
    <main id="main" class="wide" tabIndex={-1}>
      {children}
    </main>
    <footer class="bottom">
      <div class="wide">
        <span>Scores what games and AI models produce, and shows who leads.</span>
        <a href="/about">How it works</a>
      </div>
    </footer>
  </>
);

interface PlaceProps extends Props {
  readonly href: string;
}

const Place = ({ href, path, children }: PlaceProps) => (
  <a href={href} aria-current={path === href ? "page" : undefined}>
    {children}
  </a>
);
