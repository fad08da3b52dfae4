"""Windows of a board on the site: today's, those before, and the visitor's own row between its neighbours."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from local.layout import ROOT
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from tests.harness.local_stack import publish
from tests.web.boards import Shelf

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
FOLDER = "data/b/coin-sprint/boards"
TRIES = 100


def put_yesterday(shelf: Shelf, stack: Stack, today: str) -> str:
    """Write a closed window, as another version of the benchmark has left it, and return its day."""
    address = f"{stack.url}/{FOLDER}/daily-{today}/head.json"
    head = httpx.get(address, follow_redirects=True).json()
    day = datetime.fromisoformat(today)
    yesterday = f"{day - timedelta(days=1):%Y-%m-%d}"
    window = head["window"] | {"from": f"{yesterday}T00:00:00Z", "to": head["window"]["from"], "before": "daily-0"}
    older = head | {"board": f"daily-{yesterday}", "window": window, "version": "before"}
    folder, bucket = f"{FOLDER}/daily-{yesterday}", shelf.store.bucket
    bucket.overwrite(f"{folder}/before/head.json", json.dumps(older).encode(), content_type="application/json")
    return yesterday


def test_today_moves_on_and_leads_to_yesterday(open_page: OpenPage, stack: Stack, shelf: Shelf) -> None:
    """A day without results is empty, one with results shows them; the day before is a click away, the next comes."""
    publish(stack, load_folder(ROOT / "benchmarks/coin-sprint"))

    def stop_clock(context: BrowserContext) -> None:
        context.clock.install(time=datetime.now(UTC))

    empty = open_page("/b/coin-sprint?board=daily", width=360, prepare=stop_clock)
    expect(empty.get_by_role("heading", name="Nobody is on this board yet")).to_be_visible()
    expect(empty.get_by_role("link", name="Be the first")).to_be_visible()
    expect(empty.locator(".window-bar")).to_contain_text("ends in")
    expect(empty.locator("select[aria-label=Times]")).to_be_in_viewport()
    api = f"{stack.url}/api/benchmarks/coin-sprint"
    run = {"run": {"coins": 5, "time_ms": 60_000}}
    sent = httpx.post(f"{api}/submissions?player=Day&part=level-1", json=run)
    assert sent.status_code == 202, sent.text
    row = empty.locator("tr", has_text="Day")
    for _ in range(TRIES):
        empty.clock.run_for(5_000)
        empty.wait_for_timeout(200)
        if row.count():
            break
    expect(row).to_be_visible()  # without a reload
    empty.close()

    today = f"{datetime.now(UTC):%Y-%m-%d}"
    yesterday = put_yesterday(shelf, stack, today)
    page = open_page("/b/coin-sprint?board=daily", axe=True, prepare=stop_clock)
    bar = page.locator(".window-bar")
    page.clock.run_for(5_000)
    bar.locator("a", has_text="‹").click()
    page.clock.run_for(5_000)
    expect(bar).to_contain_text("is being scored again")
    assert page.url.endswith(f"?board=daily-{yesterday}")
    expect(page.locator("[aria-label=Times] [aria-current]")).to_have_text("Today")
    assert page.evaluate("async () => (await axe.run('.window-bar, .choices')).violations.map(({id}) => id)") == []
    page.get_by_role("link", name="Today").click()
    page.clock.run_for(5_000)
    expect(bar).to_contain_text("ends in")

    tomorrow = datetime.now(UTC).replace(hour=0, minute=0) + timedelta(days=1)
    board = f"daily-{tomorrow:%Y-%m-%d}"
    span = {"board": board, "from": tomorrow.isoformat(), "to": (tomorrow + timedelta(days=1)).isoformat()}

    def answer(route: Route) -> None:
        shown = span | {"before": f"daily-{today}", "time_zone": "UTC"}
        route.fulfill(json={"board": board, "window": shown, "sequence": 0})

    page.route("**/rows?board=daily&limit=1", answer)
    page.clock.fast_forward(86_400_000)
    page.clock.run_for(5_000)
    expect(bar.locator("strong")).to_have_text(f"{tomorrow.day} {tomorrow:%B} {tomorrow.year}")
