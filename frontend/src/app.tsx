/** Chooses the page for the address. */

import { useEffect, useRef } from "preact/hooks";

import { lazy } from "./components/lazy.tsx";
import { followLinks, useAddress } from "./hooks/navigation.ts";
import { parseRoute, type Route } from "./lib/route.ts";
import { BoardPage } from "./pages/board.tsx";
import { MissingPage } from "./pages/missing.tsx";
import { Shell } from "./components/layout.tsx";

// Boards are what people come for; the other pages are fetched when somebody wants them.
const AboutPage = lazy(() => import("./pages/about.tsx").then((page) => page.AboutPage), "page-space");
const ApiPage = lazy(() => import("./pages/api.tsx").then((page) => page.ApiPage), "page-space");
const IndexPage = lazy(() => import("./pages/index.tsx").then((page) => page.IndexPage), "page-space");
const PlayerPage = lazy(() => import("./pages/player.tsx").then((page) => page.PlayerPage), "page-space");
const SubmissionPage = lazy(() => import("./pages/submission.tsx").then((page) => page.SubmissionPage), "page-space");
const SubmitPage = lazy(() => import("./pages/submit.tsx").then((page) => page.SubmitPage), "page-space");

export function App() {
  const { path, search } = useAddress();
  const first = useRef(true);
  useEffect(() => {
    // After a click on a link the keyboard goes on where the new page begins.
    if (!first.current) document.getElementById("main")?.focus({ preventScroll: true });
    first.current = false;
  }, [path]);
  useEffect(() => {
    document.addEventListener("click", followLinks);
    return () => document.removeEventListener("click", followLinks);
  }, []);
  return (
    <Shell path={path}>
      <Page key={path} route={parseRoute(path)} search={search} />
    </Shell>
  );
}

function Page({ route, search }: { readonly route: Route; readonly search: string }) {
  switch (route.page) {
    case "index":
      return <IndexPage search={search} />;
    case "board":
      return <BoardPage benchmark={route.benchmark} search={search} />;
    case "player":
      return <PlayerPage benchmark={route.benchmark} player={route.player} />;
    case "submit":
      return <SubmitPage benchmark={route.benchmark} search={search} />;
    case "submission":
      return <SubmissionPage benchmark={route.benchmark} submission={route.submission} />;
    case "about":
      return <AboutPage />;
    case "api":
      return <ApiPage />;
    case "missing":
      return <MissingPage />;
  }
}
