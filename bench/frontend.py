"""Measures the site in Chromium on a slow phone: 4G with 150 ms and 1.6 Mbit/s, a processor four times slower.

Prints LCP and CLS of the most visited pages, and how long sorting ten thousand rows takes after a click.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from local.stack import LocalStack, Stack
from scripts.frontend.build_frontend import build_site, find_browser
from storage.boards.snapshots import SnapshotStore
from storage.gateway.bucket import Bucket
from tests.web.boards import Shelf, make_board

RUNS = 5
LCP_BUDGET_MILLISECONDS = 800
CLS_BUDGET = 0.02
SORT_BUDGET_MILLISECONDS = 100
CPU_SLOWDOWN = 4
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
PHONE: ViewportSize = {"width": 360, "height": 740}
PAGES = ("/", "/b/thirty", "/b/big")
OBSERVE = """
window.seen = { lcp: 0, cls: 0 };
new PerformanceObserver(list => { for (const entry of list.getEntries()) seen.lcp = entry.startTime; })
  .observe({ type: 'largest-contentful-paint', buffered: true });
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.cls += entry.value;
}).observe({ type: 'layout-shift', buffered: true });
"""
SORT = """async () => {
  const buttons = [...document.querySelectorAll('.board thead button')];
  const button = buttons.find(button => button.textContent.startsWith('Time'));
  const first = () => document.querySelector('.board tbody .player-cell').textContent;
  const before = first();
  const started = performance.now();
  button.click();
  while (first() === before) await null;
  const sorted = performance.now() - started;
  await new Promise(requestAnimationFrame);
  await new Promise(done => setTimeout(done));
  return [sorted, performance.now() - started];
}"""
# The peer of the sort: a table of objects, which looks up a path for each comparison.
PEER = """() => {
  const rows = Array.from({ length: 10_000 }, (_, at) => ({ name: `${at}`, scores: { Time: (at * 37) % 1000 } }));
  const started = performance.now();
  rows.sort((a, b) => a.scores.Time - b.scores.Time || a.name.localeCompare(b.name));
  return performance.now() - started;
}"""


def main() -> int:
    """Measure and print; return the exit code."""
    build_site()
    with tempfile.TemporaryDirectory() as folder, boards(Path(folder)) as stack, browsing() as browser:
        for path in PAGES:
            loads = [measure_load(browser, stack.url + path) for _ in range(RUNS)]
            lcp = statistics.median(load["lcp"] for load in loads)
            cls = max(load["cls"] for load in loads)
            print(
                f"{path:10} LCP {lcp:6.0f} ms (budget {LCP_BUDGET_MILLISECONDS})   CLS {cls:.3f} (budget {CLS_BUDGET})"
            )
        ours, drawn, peer = measure_sort(browser, f"{stack.url}/b/big?from=101")
        print(f"sort of 10,000 rows, click to new rows: {ours:.0f} ms (budget {SORT_BUDGET_MILLISECONDS}),")
        print(f"  with layout and paint {drawn:.0f} ms; a bare sort of as many objects {peer:.0f} ms")
    return 0


@contextmanager
def boards(folder: Path) -> Iterator[Stack]:
    """Run the stack with boards of 30 and 10,000 players."""
    with LocalStack(port=0, log=print, state=folder) as stack:
        shelf = Shelf(SnapshotStore(Bucket(stack.cloud.objects, stack.settings.site_bucket)))
        for name, players in (("thirty", 30), ("big", 10_000)):
            shelf.put(make_board(name, players=players))
        shelf.serve_start()
        yield stack


@contextmanager
def browsing() -> Iterator[Browser]:
    """Run Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@contextmanager
def phone(browser: Browser) -> Iterator[Page]:
    """Yield an empty page on a slow phone."""
    context = browser.new_context(viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_4G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    yield page
    context.close()


def measure_load(browser: Browser, url: str) -> dict[str, float]:
    """Return LCP in milliseconds and CLS of a first visit."""
    with phone(browser) as page:
        page.add_init_script(OBSERVE)
        page.goto(url, wait_until="networkidle")
        page.wait_for_function("seen.lcp > 0")
        seen: dict[str, float] = page.evaluate("seen")
        return seen


def measure_sort(browser: Browser, url: str) -> tuple[float, float, float]:
    """Return median milliseconds of a sort, of a sort with paint, and of the peer's sort."""
    with phone(browser) as page:
        page.goto(url)
        page.locator("tr[aria-rowindex='102'] .player-cell").wait_for()
        ours = [page.evaluate(SORT) for _ in range(RUNS)]
        peer = [page.evaluate(PEER) for _ in range(RUNS)]
        sorts, drawn = zip(*ours, strict=True)
        return statistics.median(sorts), statistics.median(drawn), statistics.median(peer)


if __name__ == "__main__":
    sys.exit(main())
