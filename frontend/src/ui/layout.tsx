/** What surrounds every page. */

import type { ComponentChildren } from "preact";

import { say } from "../languages/say.ts";
import { lazy } from "./lazy.tsx";

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
