"""Opens pages of the site, each in its own context, with the API's answers for boards that exist only in the bucket."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, expect

from local.stack import Stack
from scripts.frontend.build_frontend import FRONTEND
from tests.harness.waiting import wait_for
from tests.web.boards import BADGE

DEADLINE_MILLISECONDS = 20_000
# A busy machine is no defect, so every expectation has the same long deadline.
expect.set_options(timeout=DEADLINE_MILLISECONDS)
# The rows of a board are alike, so checking a few is enough.
AXE = """async () => {
  const results = await axe.run({exclude: ['.board tbody tr:nth-child(n+9)']}, {resultTypes: ['violations']});
  return results.violations.map(rule => `${rule.id}: ${rule.nodes.map(node => node.html).join(' ')}`);
}"""
SMALLEST_TEXT = """() => Math.min(12, ...[...document.querySelectorAll('main svg text')].map(text => {
  const scale = text.getScreenCTM();
  return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(scale.a, scale.b);
}))"""
LOOKS = ((360, "dark"), (360, "light"), (1280, "light"), (1280, "dark"))
"""Widths in pixels and colour schemes in which axe-core tests each page."""
LONGER = """
const lengthen = (text) => text.replaceAll(/\\{\\w+\\}|[aeiounr]/gi, (part) => (part[0] === "{" ? part : part + part));
export default (text, count) => (text === "ltr" ? text : lengthen(text.split("|")[count === 1 ? 0 : 1] ?? text));
export const more = Promise.resolve();
"""
"""A made-up language with texts two fifths longer than the English ones, as the file that the site loads."""
ONLY_IN_THE_BUCKET = re.compile(
    r"/api/benchmarks/(?!aic-2025|coin-)[^/]+/(boards$|rows|players/|submissions\?(.*&)?player=)"
)
PAGES_IN_THE_BUCKET = re.compile(r"/b/(?!aic-2025|coin-)[^/?]+(\?board=|/[ps]/)")
"""Pages that the API serves; it knows nothing of a board that exists only in the bucket."""
MARKS: Mapping[str, Mapping[str, Any]] = {
    "archived": {"archived": {"at": "2026-11-20T12:00:00Z", "reason": "The season <b>is</b> over."}},
    "banning": {"banned": 2},
}
"""What the API says of two of them."""
LEVELS = (1, 2, 3)
"""The numbers of the other boards of the benchmark `many`."""
MILLION = 1_000_000
MAX_ROWS = 100
"""So many rows one answer of the API has at most."""


@contextmanager
def visit(
    browser: Browser,
    url: str,
    *,
    messages: list[str],
    width: int = 1280,
    dark: bool = False,
    axe: bool = False,
    whole: bool = False,
    prepare: Callable[[BrowserContext], object] | None = None,
) -> Iterator[Page]:
    """Open a page and wait until it shows its content.

    Args:
        browser: The browser.
        url: The page's URL.
        messages: Receives the messages of the console.
        width: The window's width in pixels.
        dark: Whether the visitor prefers dark.
        axe: Whether to load axe-core into the page.
        whole: Whether to scroll through the page, so that its lazy parts are loaded.
        prepare: Called with the context before the page is opened.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        accept_downloads=True,
    )
    context.set_default_timeout(DEADLINE_MILLISECONDS)
    context.route(ONLY_IN_THE_BUCKET, answer_for_bucket)
    context.route(PAGES_IN_THE_BUCKET, lambda route: route.fulfill(response=route.fetch(), status=200))
    if axe:
        context.add_init_script(path=FRONTEND / "node_modules" / "axe-core" / "axe.min.js")
    if prepare:
        prepare(context)
    page = context.new_page()

    def log(message: ConsoleMessage) -> None:
        messages.append(f"{message.type}: {message.text} {message.location['url']}")

    page.on("console", log)
    page.on("pageerror", lambda error: messages.append(f"error: {error}"))
    page.goto(url)
    page.locator("main [aria-busy=true]").first.wait_for(state="detached")
    page.locator("main h1").first.wait_for()
    if whole:
        see_all(page)
    try:
        yield page
    finally:
        if not page.is_closed():
            # A request that no route has answered yet reaches the stack now, which may not know what it asks for.
            page.remove_listener("console", log)
            # An answer on its way would fail the next test; the context would answer again what the page's route did.
            context.unroute_all(behavior="ignoreErrors")
            page.unroute_all(behavior="ignoreErrors")
        context.close()


def speak_longer(context: BrowserContext) -> None:
    """Open the pages of a context in a language with longer texts, in place of the German one."""
    context.add_init_script("localStorage.setItem('language', 'de')")
    context.route("**/assets/languages/*", lambda route: route.fulfill(body=LONGER, content_type="text/javascript"))


def see_all(page: Page) -> None:
    """Scroll to the end and back, and wait until the lazy parts are loaded."""
    page.wait_for_function("""() => {
      const space = document.querySelector('.charts-space, .prose-space');
      space?.scrollIntoView();
      return space === null;
    }""")
    page.wait_for_load_state("networkidle")
    page.evaluate("scrollTo(0, 0)")


def answer_for_bucket(route: Route) -> None:
    """Answer as the API does for a board that exists only in the bucket."""
    url = urlsplit(route.request.url)
    benchmark, resource, *rest = url.path.removeprefix("/api/benchmarks/").split("/")
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    match resource, rest:
        case "boards", _:
            route.fulfill(json=list_boards(benchmark))
        case "rows.svg", _:
            route.fulfill(body=BADGE, content_type="image/svg+xml")
        case "rows", _:
            route.fulfill(json=list_rows(query))
        case _, [player, "around"]:
            row = make_row(number_of(player))
            route.fulfill(
                json={**list_rows({}), "rows": [row], "player": player, "rank": row["rank"], "number": row["rank"]}
            )
        case "submissions", _:
            route.fulfill(json={"submissions": list_submissions(query["player"]), "next": None})
        case _, [player]:
            route.fulfill(json=make_player(player))


def list_boards(benchmark: str) -> Mapping[str, Any]:
    """Return the boards of a benchmark: `many` has four, any other its main board."""
    levels = [(f"level-{level}", f"Level {level}") for level in LEVELS] if benchmark == "many" else []
    cards = [{"id": board, "title": title, "url": ""} for board, title in (("main", None), *levels)]
    return {"benchmark": benchmark, "boards": cards, "archived": None, "banned": 0, **MARKS.get(benchmark, {})}


def list_rows(query: Mapping[str, str]) -> Mapping[str, Any]:
    """Return rows of a board of a million players; players are named, or a search matches one by its number."""
    start, limit = int(query.get("from", 1)), int(query.get("limit", MAX_ROWS))
    assert limit <= MAX_ROWS
    if "players" in query:
        rows = [make_row(number_of(player)) for player in query["players"].split(",")]
    elif "q" in query:
        rows = [make_row(number_of(query["q"].replace(" ", "-")))]
    else:
        rows = [make_row(number) for number in range(start, min(start + limit, MILLION + 1))]
    return {"total": MILLION, "matches": 1 if "q" in query else MILLION, "sequence": 1, "rows": rows, "next": None}


def make_row(number: int) -> Mapping[str, Any]:
    """Return a row of a board of a million players, as the API answers it."""
    return {
        "rank": number,
        "tied": False,
        "player": f"player-{number}",
        "name": f"Player {number}",
        "kind": "model" if number % 3 == 2 else "human",
        "verified": number % 4 == 1,
        "scores": {"Score": 1000 - number / 16, "Time": 12.5, "Errors": number % 5},
        "submissions": 1 + number % 9,
        "submission": f"01a1fb00-0000-7000-8000-{number:012x}",
        "submitted_at": "2026-11-01T00:00:00Z",
    }


def number_of(player: str) -> int:
    """Return the number in a player's id."""
    return int(player.rpartition("-")[2])


def make_player(player: str) -> Mapping[str, Any]:
    """Return a player."""
    number = number_of(player)
    improvements = [
        {"submission": each["submission"], "submitted_at": each["submitted_at"], "value": 990.0 + day}
        for each, day in zip(list_submissions(player)[::-1], (1, 2, 3, 4, 5), strict=True)
    ]
    return {
        "player": player,
        "name": f"Player {number}",
        "kind": "human",
        "verified": True,
        "rank": number,
        "banned": None,
        "players": 30,
        "submissions": 5,
        "scores": {"Score": 995.0, "Time": 12.5},
        "parts": [],
        "improvements": improvements,
    }


def list_submissions(player: str) -> list[Mapping[str, Any]]:
    """Return the submissions of a player."""
    number = number_of(player)
    return [
        {
            "submission": f"01a1fb00-0000-7000-8000-{number:012x}",
            "player": player,
            "name": f"Player {number}",
            "verified": True,
            "submitted_at": f"2026-11-0{day}T10:00:00Z",
            "status": "scored" if day != 2 else "invalid",
            "scores": {"Score": 990.0 + day, "Time": 12.5} if day != 2 else None,
            "counts": day == 5,
        }
        for day in (5, 4, 3, 2, 1)
    ]


def submit_run(stack: Stack, name: str) -> str:
    """Submit a run of a level, wait until the main board shows it, and return its id."""
    site, result = f"{stack.url}/api/benchmarks/coin-run", {"level": "level-2", "frames": [[0, 0, 0], [1, 4, 0]]}
    answer = httpx.post(f"{site}/submissions?player={name}&part=level-2", json=result, timeout=60).raise_for_status()
    submission = str(answer.json()["submission"])
    wait_for(lambda: httpx.get(f"{site}/submissions/{submission}", timeout=60).json().get("rank"))
    return submission
