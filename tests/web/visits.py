"""Opens pages of the site, each in its own context, with the API's answers for boards that exist only in the bucket."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from scripts.frontend.build_frontend import FRONTEND

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
ONLY_IN_THE_BUCKET = re.compile(r"/api/benchmarks/(none|one|thirty|big|hostile)/players/")


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
    context.route(ONLY_IN_THE_BUCKET, answer_for_player)
    if axe:
        context.add_init_script(path=FRONTEND / "node_modules" / "axe-core" / "axe.min.js")
    if prepare:
        prepare(context)
    page = context.new_page()
    page.on("console", lambda message: messages.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: messages.append(f"error: {error}"))
    page.goto(url)
    page.locator("main [aria-busy=true]").first.wait_for(state="detached")
    page.locator("main h1").first.wait_for()
    if whole:
        see_all(page)
    try:
        yield page
    finally:
        context.close()


def see_all(page: Page) -> None:
    """Scroll to the end and back, and wait until the lazy parts are loaded."""
    page.wait_for_function("""() => {
      const space = document.querySelector('.charts-space, .prose-space');
      space?.scrollIntoView();
      return space === null;
    }""")
    page.wait_for_load_state("networkidle")
    page.evaluate("scrollTo(0, 0)")


def answer_for_player(route: Route) -> None:
    """Answer as the API does for a player of a board that exists only in the bucket."""
    player = route.request.url.partition("/players/")[2].partition("?")[0]
    number = int(player.rpartition("-")[2])
    history = [
        {
            "submission": f"01a1fb00-0000-7000-8000-{number:012x}",
            "submitted_at": f"2026-11-0{day}T10:00:00Z",
            "outcome": "scored" if day != 2 else "invalid",
            "scores": {"Score": 990.0 + day, "Time": 12.5} if day != 2 else None,
        }
        for day in (5, 4, 3, 2, 1)
    ]
    common = {"player": player, "name": f"Player {number}", "kind": "human", "verified": True, "rank": number}
    scores = {"Score": 995.0, "Time": 12.5}
    totals = {"players": 30, "submissions": 5, "scores": scores, "best": scores, "history": history, "next": None}
    route.fulfill(json=common | totals)
