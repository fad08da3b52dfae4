"""The pages in an export show what the live site shows, from any server of files."""

from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from local.stack import Stack
from storage.players.tokens import Scope
from tests.harness.command_line import laurel
from tests.harness.local_stack import publish
from tests.harness.stack import make_benchmark
from tests.harness.waiting import wait_for
from tests.web.visits import AXE

pytestmark = pytest.mark.e2e
ONLY_LIVE = "[aria-labelledby=badge-title], .actions, a.button:is([href^='/p/'], [href*='/submit'], [href*='.png'])"
PARTS = "[main.innerText, ...[...main.querySelectorAll('path')].map((path) => path.getAttribute('d'))]"
SHOWN = f"!main.querySelector('.bump, [class$=-space]') && {PARTS}"
SHOWN_LIVE = f"main.querySelectorAll(`{ONLY_LIVE}`).forEach((element) => element.remove()), ({SHOWN})"
ASKED = "performance.getEntriesByType('resource').map(({ name }) => name)"


@pytest.fixture(params=["player", "label"])
def head(request: pytest.FixtureRequest, stack: Stack, make_token: Any, tmp_path: Path) -> Any:
    """The head of a benchmark with a row for each player or label, which is exported below `/a/b/`."""
    kept, token = f"coin-{request.param}s", f"Bearer {make_token(scope=Scope.ADMIN)}"
    ranking = {"keep": "best", "combine": "mean", "by": ["score"], "rows": request.param}
    boards = [{"id": "people", "title": "People", "when": {"kind": "human"}}]
    publish(stack, make_benchmark(id=kept, title="Kept", ranking=ranking, boards=boards, windows=["daily"]))
    url, old = f"{stack.url}/api/benchmarks/{kept}/submissions", {"player": "Old", "taken_over": "2019-05-31"}
    for number in range(40, 64):
        label = {"label": f"try {number % 3}"} if request.param == "label" else {}
        query = {"player": f"Player {number % 7}", "kind": ("human", "model")[number % 2], **label}
        httpx.post(url, params=query, json={"question": "1", "text": f"TR-V017-49{number}"}).raise_for_status()
    if request.param == "player":  # so that the board has a course
        httpx.post(url, params=old, json={"scores": {"score": 9}}, headers={"Authorization": token}).raise_for_status()
    data = f"{stack.url}/data/b/{kept}/head.json"
    count = 24 + (request.param == "player")
    wait_for(lambda: sum(httpx.get(data).json()["rows"]["submissions"]) == count)
    assert laurel("export", kept, str(tmp_path / "a/b"), "--api", stack.url).exit_code == 0
    return httpx.get(data).json()


def test_pages_of_an_export_are_those_of_the_site(head: Any, stack: Stack, open_page: Any, tmp_path: Path) -> None:
    """Rows, charts, search, players, submissions and CSV are there; nothing is asked of another place."""
    with ThreadingHTTPServer(("localhost", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        kept, address = head["id"], f"http://localhost:{server.server_port}/a/b"
        now = datetime.now(UTC)
        visit = partial(open_page, prepare=lambda context: context.clock.set_fixed_time(now))
        (first, second), submission = head["rows"]["player"][:2], head["rows"]["submission"][1]
        views = ["", "?board=people", "?board=daily", "?q=player+3", "?sort=player", f"?pick={first},{second}"]
        for path in (*views, f"/p/{first}", f"/s/{submission}", f"?players={first},{second}"):
            live = visit(f"/b/{kept}{path}", whole=True)
            page = visit(f"/site/#/b/{kept}{path}", url=address, whole=True, axe=True)
            # Parts of either may come late: both are read again until they are equal.
            wait_for(lambda a=live, b=page: (shown := a.evaluate(SHOWN_LIVE)) and shown == b.evaluate(SHOWN))
            assert (page.locator("a[href^='/']").count(), page.evaluate(AXE)) == (0, []), path
            assert [url for url in page.evaluate(ASKED) if not url.startswith(address)] == [], path
        page.goto(f"{address}/site/")
        page.get_by_label("Options").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="CSV").click()
        csv = httpx.get(f"{stack.url}/api/benchmarks/{kept}/rows.csv").content
        assert Path(download.value.path()).read_bytes() == csv
        page.locator("tbody a").first.click()
        page.locator(".crumbs a").last.click()
        expect(page.locator(".board tbody tr")).to_have_count(len(head["rows"]["player"]))
        server.shutdown()
