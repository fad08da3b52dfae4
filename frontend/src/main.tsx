/** Starts the site, and shows the page of the address. */

import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/board.css";
import "./style/charts.css";
import "./style/pages.css";
import "./style/wall.css";

import { render, type ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { Layout } from "./components/layout.tsx";
import { lazy } from "./components/lazy.tsx";
import { followLinks, useAddress } from "./hooks/navigation.ts";
import { language, more, say } from "./languages/say.ts";
import { parseRoute, type Route } from "./lib/route.ts";
import { BoardPage } from "./pages/board.tsx";

// Pages that few visit have their texts in a file of their own.
const rest = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => (await more, load()));

// The board is the most visited page, so it is in the first script; the others are loaded on demand.
const OwnersPage = rest(() => import("./pages/owners.tsx").then((page) => page.OwnersPage));
const ChosenPage = rest(() => import("./pages/chosen.tsx").then((page) => page.ChosenPage));
const IndexPage = lazy(() => import("./pages/index.tsx").then((page) => page.IndexPage));
const PlayerBoardsPage = rest(() => import("./pages/player_boards.tsx").then((page) => page.PlayerBoardsPage));
const PlayerPage = lazy(() => import("./pages/player.tsx").then((page) => page.PlayerPage));
const SubmissionPage = rest(() => import("./pages/submission.tsx").then((page) => page.SubmissionPage));
const SubmitPage = rest(() => import("./pages/submit.tsx").then((page) => page.SubmitPage));
const WallPage = lazy(() => import("./pages/wall.tsx").then((page) => page.WallPage));
// What they show does not depend on the address.
const PLAIN = {
  about: rest(() => import("./pages/about.tsx").then((page) => page.AboutPage)),
  api: rest(() => import("./pages/api.tsx").then((page) => page.ApiPage)),
  guide: rest(() => import("./pages/guide.tsx").then((page) => page.GuidePage)),
  join: lazy(() => import("./pages/join.tsx").then((page) => page.JoinPage)),
  missing: lazy(() => import("./pages/missing.tsx").then((page) => page.MissingPage)),
  tokens: rest(() => import("./pages/tokens.tsx").then((page) => page.TokensPage)),
};

function App() {
  const { path, search } = useAddress();
  const isFirst = useRef(true);
  useEffect(() => {
    // After a click on a link, the keyboard continues at the start of the new page.
    if (!isFirst.current) document.getElementById("main")?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  const route = parseRoute(path);
  if (route.page === "wall") return <WallPage key={path} benchmark={route.benchmark} search={search} />;
  return (
    <Layout path={path}>
      <Page key={path} route={route} search={search} />
    </Layout>
  );
}

type Framed = Exclude<Route, { readonly page: "wall" }>;

function Page({ route, search }: { readonly route: Framed; readonly search: string }) {
  switch (route.page) {
    case "index":
      return <IndexPage search={search} />;
    case "board":
      return new URLSearchParams(search).has("players") ? (
        <ChosenPage benchmark={route.benchmark} search={search} />
      ) : (
        <BoardPage benchmark={route.benchmark} search={search} />
      );
    case "player":
      return <PlayerPage benchmark={route.benchmark} player={route.player} search={search} />;
    case "profile":
      return <PlayerBoardsPage player={route.player} />;
    case "submit":
      return <SubmitPage benchmark={route.benchmark} search={search} />;
    case "submission":
      return <SubmissionPage benchmark={route.benchmark} submission={route.submission} search={search} />;
    case "owners":
      return <OwnersPage benchmark={route.benchmark} />;
  }
  const Plain = PLAIN[route.page];
  return <Plain />;
}

// The writing direction is a text, too.
Object.assign(document.documentElement, { lang: language, dir: say("ltr") });
document.addEventListener("click", followLinks);
const root = document.getElementById("app");
if (root?.childElementCount) {
  // The start page is served with a table of boards: it stays until there is what draws them.
  if (location.pathname === "/") await IndexPage.load().catch(() => undefined);
  // Drawing takes a phone longer than painting what was served, which is what people wait for. No hidden page paints.
  if (!document.hidden) await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
}
if (root) render(<App />, root);
