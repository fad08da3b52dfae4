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
const AboutPage = rest(() => import("./pages/about.tsx").then((page) => page.AboutPage));
const ApiPage = rest(() => import("./pages/api.tsx").then((page) => page.ApiPage));
const GuidePage = rest(() => import("./pages/guide.tsx").then((page) => page.GuidePage));
const OwnersPage = rest(() => import("./pages/owners.tsx").then((page) => page.OwnersPage));
const GroupPage = rest(() => import("./pages/group.tsx").then((page) => page.GroupPage));
const IndexPage = lazy(() => import("./pages/index.tsx").then((page) => page.IndexPage));
const JoinPage = lazy(() => import("./pages/join.tsx").then((page) => page.JoinPage));
const TokensPage = rest(() => import("./pages/tokens.tsx").then((page) => page.TokensPage));
const MissingPage = lazy(() => import("./pages/missing.tsx").then((page) => page.MissingPage));
const PlayerBoardsPage = rest(() => import("./pages/player_boards.tsx").then((page) => page.PlayerBoardsPage));
const PlayerPage = lazy(() => import("./pages/player.tsx").then((page) => page.PlayerPage));
const SubmissionPage = rest(() => import("./pages/submission.tsx").then((page) => page.SubmissionPage));
const SubmitPage = rest(() => import("./pages/submit.tsx").then((page) => page.SubmitPage));
const WallPage = lazy(() => import("./pages/wall.tsx").then((page) => page.WallPage));

function App() {
  const { path, search } = useAddress();
  const isFirst = useRef(true);
  useEffect(() => {
    // After a click on a link, the keyboard continues at the start of the new page.
    if (!isFirst.current) document.getElementById("main")?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  useEffect(() => {
    document.addEventListener("click", followLinks);
    return () => document.removeEventListener("click", followLinks);
  }, []);
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
      return new URLSearchParams(search).has("group") ? (
        <GroupPage benchmark={route.benchmark} search={search} />
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
    case "about":
      return <AboutPage />;
    case "guide":
      return <GuidePage />;
    case "owners":
      return <OwnersPage benchmark={route.benchmark} />;
    case "join":
      return <JoinPage />;
    case "tokens":
      return <TokensPage />;
    case "api":
      return <ApiPage />;
    case "missing":
      return <MissingPage />;
  }
}

// The writing direction is a text, too.
Object.assign(document.documentElement, { lang: language, dir: say("ltr") });
const root = document.getElementById("app");
// The start page is served with its cards: they stay until there is what draws them.
if (root?.childElementCount && location.pathname === "/") await IndexPage.load().catch(() => undefined);
if (root) render(<App />, root);
