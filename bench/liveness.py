"""Measures how soon a result is seen: on another visitor's open page, and by the player who handed it in.

`uv run python bench/liveness.py [--results N] [--seed N]` starts `laurel local` in a process of its own and opens its
site in Chromium. A visitor keeps a board open. Guests hand in results by the form of the submit page, at random
moments, so that none follows the rhythm in which the visitor's page asks; as soon as a guest sees the score, they go
on to the board. Results are at most MAX_PAUSE_SECONDS apart and less than one a second, so the visitor's page has the
fastest beat of sdk/beat.js: what is measured holds for a board on which something happens. Rows are timed by the
clock of the page when they are in its table; a result is recorded at the time in its submission record. Both clocks
are this machine's.
"""

import argparse
import random
import re
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from under_load.books import read_records
from under_load.stack import running_stack

from scripts.frontend.build_frontend import build_site, find_browser

BENCHMARK = "aic-2025"
RESULT = '{"question": "7", "text": "TR-V030-1519"}'
MAX_PAUSE_SECONDS = 8.0
PATIENCE_MILLISECONDS = 60_000
# Note when a name is in the table for the first time.
WATCH = """
window.shown = {};
const note = () => {
  for (const cell of document.querySelectorAll('.board tbody .player-cell bdi')) shown[cell.textContent] ??= Date.now();
};
new MutationObserver(note).observe(document, { childList: true, subtree: true, characterData: true });
"""


class Times(NamedTuple):
    """When a guest's result went its way: seconds since 1970."""

    submission: str
    clicked: float
    scored: float
    to_board: float
    on_own_board: float
    on_open_board: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=int, default=20, help="how many are handed in (default: 20)")
    parser.add_argument("--seed", type=int, default=2026, help="of the pauses (default: 2026)")
    arguments = parser.parse_args()
    build_site()
    chance = random.Random(arguments.seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Path(folder)) as stack,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]) as browser,
    ):
        fill_board(stack.url)
        visitor, guests = open_board(browser, stack.url), browser.new_context()
        times = []
        for number in range(arguments.results):
            time.sleep(chance.uniform(0, MAX_PAUSE_SECONDS))
            times.append(hand_in(guests, visitor, stack.url, f"Guest {number:02}"))
        recorded = {record.submission: record.recorded for record in read_records(stack)}
    print(f"{len(times)} results, {datetime.now(UTC):%Y-%m-%d}\n\n{'seconds':46}{'median':>8}{'worst':>8}")
    report("record → row in another visitor's open page", [it.on_open_board - recorded[it.submission] for it in times])
    report("own: click → score on the page", [it.scored - it.clicked for it in times])
    report("own: to the board → row there", [it.on_own_board - it.to_board for it in times])


def fill_board(url: str) -> None:
    """Give the board its first row, so that it has a table."""
    path = f"{url}/api/benchmarks/{BENCHMARK}/submissions"
    headers = {"Content-Type": "application/json", "Prefer": "wait=10"}
    httpx.post(path, params={"player": "First"}, content=RESULT, headers=headers, timeout=30).raise_for_status()


def open_board(browser: Browser, url: str) -> Page:
    """Open the board as a visitor who stays there."""
    context = browser.new_context(viewport={"width": 1280, "height": 2000})
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto(f"{url}/b/{BENCHMARK}")
    page.wait_for_function("shown.First", timeout=PATIENCE_MILLISECONDS)
    return page


def hand_in(guests: BrowserContext, visitor: Page, url: str, name: str) -> Times:
    """Hand a result in by the form, go on to the board, and wait until both pages show it."""
    page = guests.new_page()
    page.add_init_script(WATCH)
    page.goto(f"{url}/b/{BENCHMARK}/submit")
    page.get_by_role("textbox", name="Result").fill(RESULT)
    page.get_by_role("textbox", name="Name").fill(name)
    clicked = click(page, "button", "Hand in")
    page.get_by_role("heading", name="Scores").wait_for(timeout=PATIENCE_MILLISECONDS)
    scored = time.time()
    submission = re.search(r"/s/([0-9a-f-]+)", page.url)
    assert submission, page.url
    to_board = click(page, "link", "See the board")
    on_own, on_open = wait_for_row(page, name), wait_for_row(visitor, name)
    page.close()
    return Times(submission[1], clicked, scored, to_board, on_own, on_open)


def click(page: Page, role: Any, name: str) -> float:
    """Click, and return when."""
    target = page.get_by_role(role, name=name, exact=True).first
    now = time.time()
    target.click()
    return now


def wait_for_row(page: Page, name: str) -> float:
    """Wait until a page shows a name on its board; return since when."""
    handle = page.wait_for_function("name => shown[name]", arg=name, timeout=PATIENCE_MILLISECONDS)
    return float(handle.json_value()) / 1000


def report(name: str, seconds: list[float]) -> None:
    """Print a line of the table."""
    print(f"{name:46}{statistics.median(seconds):8.2f}{max(seconds):8.2f}")


if __name__ == "__main__":
    main()
