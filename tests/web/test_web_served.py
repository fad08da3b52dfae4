"""Served pages: whole without JavaScript, and taken over without a flash, a shift, or a second copy of their data."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from local.stack import Stack
from tests.web.boards import Shelf
from tests.web.visits import submit_run

type OpenPage = Callable[..., Page]

MAX_SHIFT = 0.02
OBSERVE = """
window.shift = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
}).observe({ type: 'layout-shift', buffered: true });
// What is drawn in each frame: nothing that was served may be away while the app starts.
window.fewest = Infinity;
const count = () => {
  if (document.readyState !== 'loading') {
    fewest = Math.min(fewest, document.querySelectorAll('main tbody tr, .card').length);
  }
  requestAnimationFrame(count);
};
requestAnimationFrame(count);
"""
SLOW_LINE = {"offline": False, "latency": 100, "downloadThroughput": 500_000, "uploadThroughput": 500_000}
"""Milliseconds, and bytes a second."""


@pytest.fixture(scope="module")
def submission(stack: Stack) -> str:
    """The id of a submission that the board shows."""
    return submit_run(stack, "Mover")


@pytest.mark.parametrize(
    ("path", "data", "width"), [("/b/thirty", "/data/b/thirty/head.json", 360), ("/", "/data/index.json", 1280)]
)
def test_app_takes_a_served_page_over(
    open_page: OpenPage, stack: Stack, shelf: Shelf, *, path: str, data: str, width: int
) -> None:
    """What was served is drawn in every frame, nothing moves, and what came with the page is not sent again."""
    shelf.serve_start()
    answers: list[tuple[str, int]] = []

    def prepare(context: BrowserContext) -> None:
        context.add_init_script(OBSERVE)
        context.on("response", lambda answer: answers.append((answer.url.removeprefix(stack.url), answer.status)))

    page = open_page(path, width=width, prepare=prepare)
    expect(page.locator(".toolbar input[type=search]")).to_be_visible()
    page.wait_for_load_state("networkidle")

    assert page.evaluate("shift") <= MAX_SHIFT
    assert page.evaluate("fewest") >= 7
    assert {status for url, status in answers if url == data} == {304}


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/", "en"),
        ("/b/thirty", "en"),
        ("/b/thirty", "vi"),
        ("/b/many?board=level-2", "en"),
        ("/b/coin-run", "en"),
        ("/b/thirty/p/player-2", "en"),
        ("/b/coin-run/s/{submission}", "en"),
        ("/b/coin-run/submit", "en"),
        ("/b/coin-run/owners", "en"),
        ("/b/coin-run/wall", "en"),
    ],
)
def test_nothing_moves_while_a_page_loads(
    open_page: OpenPage, stack: Stack, shelf: Shelf, submission: str, *, path: str, width: int, language: str
) -> None:
    """On a slow line, where each answer comes after a frame was drawn, every page has room for what comes."""
    listed = httpx.get(f"{stack.url}/api/benchmarks/coin-run/boards", timeout=60).json()["boards"]
    # A served page may be a minute old, and rows that came since have no room in it: here it is of now.
    shelf.serve("coin-run", [(board["id"], board["title"]) for board in listed])
    shelf.serve_start()

    def slow_down(page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Network.emulateNetworkConditions", SLOW_LINE)

    def prepare(context: BrowserContext) -> None:
        context.add_init_script(f"{OBSERVE}; localStorage.setItem('language', '{language}')")
        context.on("page", slow_down)

    page = open_page(path.format(submission=submission), width=width, prepare=prepare)
    page.wait_for_load_state("networkidle")

    assert page.evaluate("shift") <= MAX_SHIFT


@pytest.mark.parametrize(("path", "text"), [("/", "Board thirty"), ("/b/hostile", "<img src=x")])
def test_pages_need_no_script(browser: Browser, stack: Stack, shelf: Shelf, path: str, text: str) -> None:
    """The boards are there, and the rows of each."""
    shelf.serve_start()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(stack.url + path)

    expect(page.locator("main")).to_contain_text(text)
    context.close()
