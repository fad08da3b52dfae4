"""Served pages: whole without JavaScript, and taken over without a flash, a shift, or a second copy of their data."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from local.stack import Stack
from storage.boards.models import HeadImprovements
from tests.web.boards import Shelf, make_board
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
    submit_run(stack, "Runner")
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
    run = shelf.store.read_head("coin-run")
    assert run is not None
    rows = run.value.rows  # two minutes are a course, which the API does not say of unfinished rows
    rows = rows.model_copy(update={"at": (rows.at[1] - 120_000, *rows.at[1:])})
    shelf.write_head(run.value.model_copy(update={"rows": rows}))
    # A served page may be a minute old, and rows that came since have no room in it: here it is of now.
    shelf.serve("coin-run", [(board["id"], board["title"]) for board in listed])
    # The list of boards may be ten minutes old, and a head knows of a later event.
    led = shelf.put(make_board("led", players=3).model_copy(update={"generated_at": datetime.now(UTC)}))
    shelf.serve_start()
    steps = [(int(time.time() * 1000), 999.0 + nth, f"player-{2 - nth}", led.rows.submission[0]) for nth in (0, 1)]
    shelf.write_head(led.model_copy(update={"improvements": HeadImprovements(steps=tuple(steps), total=2)}))

    def prepare(context: BrowserContext) -> None:
        context.add_init_script(f"{OBSERVE}; localStorage.setItem('language', '{language}')")
        emulate = "Network.emulateNetworkConditions"
        context.on("page", lambda page: context.new_cdp_session(page).send(emulate, SLOW_LINE))

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


def test_address_of_a_submission_may_name_a_version(
    open_page: OpenPage, stack: Stack, submission: str, messages: list[str]
) -> None:
    """The page then says whose word it is; a version that the submission was not scored under has no page."""
    version = httpx.get(f"{stack.url}/data/b/coin-run/head.json", timeout=60).json()["version"]

    page = open_page(f"/b/coin-run/s/{submission}?version={version}")
    expect(page.locator(".banner")).to_have_text(f"This is what version {version} says of it.")
    page.goto(page.url.replace(version, "0" * 16))
    expect(page.get_by_text("This submission does not exist.")).to_be_visible()
    messages[:] = [message for message in messages if "404" not in message]
