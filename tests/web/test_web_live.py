"""An open board lives: what is handed in appears, what fails is told, and nobody loses their place."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect
from werkzeug.serving import WSGIRequestHandler, make_server

from local.site.gateway import Gateway
from local.site.headers import read_local_headers
from local.site.hosts import Hosts
from local.site.server import Site
from local.stack import Stack
from local.uploads.endpoint import Uploads
from tests.web.boards import Shelf, make_board, make_rows

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
MORE_THAN_A_LOOK = 9_000
MORE_THAN_ANY_WAIT = 130_000


class SilentHandler(WSGIRequestHandler):
    """Keeps the test's output clean."""

    def log(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(stack: Stack, dist: Path, port: int = 0) -> Iterator[int]:
    """Serve the site on a port of its own, which can be stopped, and give the port."""
    site = Site(
        gateway=Gateway(
            submit=stack.functions["SubmitFunction"],
            origin_headers=stack.template.origin_headers(),
            cors=stack.template.cors(),
            log=lambda _: None,
        ),
        s3=stack.cloud.s3,
        site_bucket=stack.settings.site_bucket,
        uploads=Uploads(stack.cloud.s3, "nothing", stack.cloud.credentials),
        pages=dist,
        outbox=stack.outbox,
        log_request=lambda _: None,
        hosts=Hosts(),
        headers=read_local_headers(stack.template),
        on_post=lambda: None,
    )
    server = make_server("127.0.0.1", port, site, threaded=True, request_handler=SilentHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_server_that_stops_makes_the_board_stale_until_it_is_back(
    stack: Stack, dist: Path, open_page: OpenPage, messages: list[str], shelf: Shelf
) -> None:
    """The rows stay under a banner that says so; it goes once the server answers again."""
    with serving(stack, dist) as port:
        page = open_page("/about", url=f"http://127.0.0.1:{port}")
        page.clock.install()
        page.goto(f"http://127.0.0.1:{port}/b/thirty")
        expect(page.locator(".board tbody tr")).to_have_count(30)

    page.clock.fast_forward(MORE_THAN_A_LOOK)

    expect(page.locator(".banner")).to_contain_text("Not up to date")
    expect(page.locator(".board tbody tr")).to_have_count(30)
    with serving(stack, dist, port):
        page.clock.fast_forward(MORE_THAN_ANY_WAIT)
        expect(page.locator(".banner")).to_have_count(0)
    assert all("ERR_CONNECTION_REFUSED" in message or "ERR_" in message for message in messages)
    messages.clear()


def test_a_hidden_page_asks_for_nothing(open_page: OpenPage, shelf: Shelf) -> None:
    """Nobody looks: the board rests, and catches up as soon as it is seen again."""
    head = shelf.put(make_board("resting", players=3))
    page = open_page("/about")
    page.clock.install()
    page.goto(page.url.replace("/about", "/b/resting"))
    expect(page.locator(".board tbody tr")).to_have_count(3)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "head.json" in request.url else None)
    show = """seen => {
      Object.defineProperty(document, 'hidden', {value: seen === 'hidden', configurable: true});
      document.dispatchEvent(new Event('visibilitychange'));
    }"""

    page.evaluate(show, "hidden")
    shelf.put(head, make_rows(4))
    page.clock.fast_forward(MORE_THAN_ANY_WAIT)
    asked_while_hidden = list(asked)
    page.evaluate(show, "visible")
    page.clock.fast_forward(1)

    expect(page.locator(".board tbody tr")).to_have_count(4)
    assert asked_while_hidden == []
    assert len(asked) == 1


def test_a_result_appears_on_the_open_board(stack: Stack, open_page: OpenPage) -> None:
    """A POST of somebody else moves the board under one's eyes, marked and announced, without a reload."""
    httpx.post(
        f"{stack.url}/api/benchmarks/aic-2025/submissions?player=Early",
        json={"question": "1", "text": "TR-L03_V011-1200,1340"},
    ).raise_for_status()
    page = open_page("/about")
    page.evaluate("window.loadedOnce = true; history.pushState(null, '', '/b/aic-2025');")
    page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    row = page.locator(".board tbody tr").filter(has_text="Early")
    expect(row).to_have_count(1, timeout=60_000)

    httpx.post(
        f"{stack.url}/api/benchmarks/aic-2025/submissions?player=Late",
        json={"question": "7", "text": "TR-V030-1519"},
    ).raise_for_status()

    late = page.locator(".board tbody tr").filter(has_text="Late")
    expect(late).to_have_count(1, timeout=60_000)
    expect(late).to_have_class("changed")
    expect(page.get_by_role("status").filter(has_text="The board changed")).to_contain_text("Late (guest) is at rank")
    assert page.evaluate("window.loadedOnce")


def test_a_refresh_keeps_sort_focus_and_scroll(open_page: OpenPage, shelf: Shelf) -> None:
    """New rows come in around what the visitor is doing."""
    head = shelf.put(make_board("moving", players=30))
    page = open_page("/about")
    page.clock.install()
    page.goto(page.url.replace("/about", "/b/moving?sort=score.Time&q=player"))
    box = page.get_by_role("checkbox", name="Compare Player 20", exact=True)
    box.focus()
    scrolled = page.evaluate("scrollY")

    shelf.put(head, make_rows(31))
    page.clock.fast_forward(MORE_THAN_A_LOOK)

    expect(page.locator(".board tbody tr")).to_have_count(31)
    expect(page.locator(".board tbody tr.changed")).to_contain_text("Player 31")
    expect(box).to_be_focused()
    expect(page.get_by_role("columnheader", name="Time")).to_have_attribute("aria-sort", "ascending")
    assert abs(page.evaluate("scrollY") - scrolled) < 60  # one row came in above


def test_past_the_first_page_new_results_are_offered(open_page: OpenPage, shelf: Shelf) -> None:
    """Whoever reads page 2 is not moved; a button brings what is new."""
    head = shelf.put(make_board("offered", players=60))
    page = open_page("/about")
    page.clock.install()
    page.goto(page.url.replace("/about", "/b/offered?page=2"))
    expect(page.locator(".board tbody tr")).to_have_count(10)

    shelf.put(head, make_rows(70))
    page.clock.fast_forward(MORE_THAN_A_LOOK)

    button = page.get_by_role("button", name="Show new results")
    expect(button).to_be_visible()
    expect(page.locator(".board tbody tr")).to_have_count(10)
    button.click()
    expect(page.locator(".board tbody tr")).to_have_count(20)
    expect(button).to_have_count(0)
