/** Starts the site, and shows the page of the address. */

import "./ui/style/tokens.css";
import "./ui/style/base.css";
import "./ui/style/controls.css";
import "./boards/style.css";
import "./charts/style.css";
import "./ui/style/pages.css";
import "./benchmarks/style.css";
import "./players/style.css";
import "./submissions/style.css";
import "./guides/style.css";
import "./ui/style/media.css";
import "./boards/wall/style.css";

import { render, type ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { BoardPage } from "./boards/page.tsx";
import { language, more, say } from "./languages/say.ts";
import { followLinks, useAddress } from "./ui/hooks/navigation.ts";
import { Layout } from "./ui/layout.tsx";
import { lazy } from "./ui/lazy.tsx";
import { hueOf } from "./ui/lib/hash.ts";
import { parseRoute, type Route } from "./ui/lib/route.ts";

// Pages that few visit have their texts in a file of their own.
const rest = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => (await more, load()));

// The board is the most visited page, so it is in the first script; the others are loaded on demand.
const OwnersPage = rest(() => import("./benchmarks/owners/page.tsx").then((page) => page.OwnersPage));
const ChosenPage = rest(() => import("./boards/chosen_page.tsx").then((page) => page.ChosenPage));
const IndexPage = lazy(() => import("./benchmarks/page.tsx").then((page) => page.IndexPage));
const PlayerBoardsPage = rest(() => import("./players/profile_page.tsx").then((page) => page.PlayerBoardsPage));
const PlayerPage = lazy(() => import("./players/player_page.tsx").then((page) => page.PlayerPage));
const SubmissionPage = rest(() => import("./submissions/submission_page.tsx").then((page) => page.SubmissionPage));
const SubmitPage = rest(() => import("./submissions/submit/page.tsx").then((page) => page.SubmitPage));
const WallPage = lazy(() => import("./boards/wall/page.tsx").then((page) => page.WallPage));
const guides = () => import("./guides/guide.tsx");
// What they show does not depend on the address.
const PLAIN = {
  about: rest(() => guides().then((page) => page.AboutPage)),
  guide: rest(() => guides().then((page) => page.GuidePage)),
  join: lazy(() => import("./players/join_page.tsx").then((page) => page.JoinPage)),
  missing: lazy(() => guides().then((page) => page.MissingPage)),
  tokens: rest(() => import("./players/tokens_page.tsx").then((page) => page.TokensPage)),
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
  // A board's pages have its hue.
  const hue = "benchmark" in route && route.benchmark ? hueOf(route.benchmark) : "";
  document.documentElement.style.setProperty("--h", `${hue}`);
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
