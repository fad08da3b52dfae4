"""Takes the README's screenshots of the site on the local stack, and draws the picture of shared links."""  # noqa: INP001 — scripts are no package

import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import httpx
from playwright.sync_api import Browser, ViewportSize, sync_playwright
from rich.console import Console

from aggregate.dependencies import make_aggregator
from aggregate.versions.publishing import publish_benchmark
from local.layout import ROOT
from local.samples import PERSONAS, play_samples
from local.stack import LocalStack
from scoring_core.benchmarks.loading import load_folder
from scripts.frontend.build_frontend import build_site, find_browser

FOLDER: Final = ROOT / "docs" / "pictures"
PUBLIC: Final = ROOT / "frontend" / "public"
SLOGAN: Final = "Scores games and AI models, and shows who leads."
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
SCORING_SECONDS: Final = 120
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
SCREENSHOTS: Final = (
    ("board", "/b/full-duplex", DESKTOP, False),
    ("board-dark", "/b/full-duplex?pick={0},{1},{2}", DESKTOP, True),
    ("board-phone", "/b/coin-run", PHONE, False),
)


def main() -> int:
    """Run the stack, play the samples, take the screenshots and return the exit code."""
    build_site()
    FOLDER.mkdir(parents=True, exist_ok=True)
    console = Console()
    with tempfile.TemporaryDirectory() as state, LocalStack(port=0, log=console.print, state=Path(state)) as stack:
        aggregator = make_aggregator(
            stack.settings, s3=stack.cloud.s3, dynamodb=stack.cloud.dynamodb, clock=lambda: datetime.now(UTC)
        )
        for folder in sorted(path.parent for path in (ROOT / "benchmarks").glob("*/benchmark.yaml")):
            publish_benchmark(load_folder(folder), aggregator)
        play_samples(stack.url, ROOT / "benchmarks", console, threading.Event())
        wait_for_players(stack.url)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
            draw_social_picture(browser)
            for name, path, size, dark in SCREENSHOTS:
                take_screenshot(browser, stack.url + path, FOLDER / f"{name}.png", size=size, dark=dark)
            browser.close()
    return 0


def wait_for_players(url: str) -> None:
    """Wait until every board has all players of the samples."""
    deadline = time.monotonic() + SCORING_SECONDS
    while time.monotonic() < deadline:
        boards = httpx.get(f"{url}/data/index.json").raise_for_status().json()["benchmarks"]
        if all(board["players"] == len(PERSONAS) for board in boards):
            return
        time.sleep(1)
    raise TimeoutError(f"some board has fewer than {len(PERSONAS)} players after {SCORING_SECONDS} seconds")


def draw_social_picture(browser: Browser) -> None:
    """Draw the picture that previews of shared links show, 1200 x 630 pixels."""
    context = browser.new_context(viewport={"width": 1200, "height": 630})
    page = context.new_page()
    mark = (PUBLIC / "favicon.svg").read_text()
    page.set_content(
        f"<style>body{{margin:0;height:100vh;display:grid;place-content:center;justify-items:center;gap:36px;"
        f"background:#fbfcfb;color:#14201a;font:600 108px system-ui}}svg{{width:220px;height:220px}}"
        f"p{{margin:0;font-size:44px;font-weight:400;color:#55635b}}</style>{mark}Laurel<p>{SLOGAN}</p>"
    )
    page.screenshot(path=PUBLIC / "social.png")
    context.close()


def take_screenshot(browser: Browser, url: str, target: Path, *, size: ViewportSize, dark: bool) -> None:
    """Take a screenshot of the first view of a page."""
    context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", reduced_motion="reduce")
    page = context.new_page()
    page.goto(url.split("?", maxsplit=1)[0], wait_until="networkidle")
    if "{0}" in url:
        page.locator(".board tbody tr").first.wait_for()
        players = page.locator(".board .player-cell a").evaluate_all("links => links.map(link => link.pathname)")
        page.goto(url.format(*(player.rpartition("/")[2] for player in players)), wait_until="networkidle")
        page.locator("#charts").scroll_into_view_if_needed()
        page.locator(".compare").wait_for()
        page.locator("#charts").evaluate("element => scrollTo(0, element.offsetTop - 24)")
        page.wait_for_load_state("networkidle")
    page.screenshot(path=target)
    context.close()


if __name__ == "__main__":
    sys.exit(main())
