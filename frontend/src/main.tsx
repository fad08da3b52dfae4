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
import { addressOf, followLinks, useAddress } from "./ui/hooks/navigation.ts";
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
const PAGES = {
  index: IndexPage,
  board: BoardPage,
  player: PlayerPage,
  profile: PlayerBoardsPage,
  submit: SubmitPage,
  submission: SubmissionPage,
  owners: OwnersPage,
  wall: WallPage,
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
  const isChosen = route.page === "board" && new URLSearchParams(search).has("players");
  const Shown = (isChosen ? ChosenPage : PAGES[route.page]) as ComponentType<typeof route & { search: string }>;
  return <Shown {...route} search={search} />;
}

// The writing direction is a text, too.
Object.assign(document.documentElement, { lang: language, dir: say("ltr") });
document.addEventListener("click", followLinks);
const root = document.getElementById("app");
if (root?.childElementCount) {
  // What was served stays until there is what draws it.
  const page = PAGES[parseRoute(addressOf().pathname).page];
  if ("load" in page) await page.load().catch(() => {});
  // Drawing takes a phone longer than painting what was served, which is what people wait for. No hidden page paints.
  if (!document.hidden) await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
}
// A wall has no frame, and what it is served with has one.
if (parseRoute(addressOf().pathname).page === "wall") root?.replaceChildren();
if (root) render(<App />, root);
