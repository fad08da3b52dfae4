"""An open board updates itself: results appear, failures are shown, and the visitor keeps their place."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect
from werkzeug.serving import WSGIRequestHandler, make_server

from engine.cloud import Engine
from local.site.gateway import Gateway
from local.site.headers import read_local_headers
from local.site.hosts import Hosts
from local.site.server import Site
from local.site.storage import Storage
from local.stack import Stack
from storage.gateway.bucket import Bucket
from tests.web.boards import Shelf, make_board, make_rows

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
MORE_THAN_A_POLL = 9_000
MORE_THAN_ANY_DELAY = 130_000


class SilentHandler(WSGIRequestHandler):
    """Keeps the test's output clean."""

    def log(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serving(stack: Stack, dist: Path, port: int = 0) -> Iterator[int]:
    """Serve the site on its own port until the context ends, and yield the port."""
    site = Site(
        gateway=Gateway(
            functions=stack.functions,
            routes=stack.template.routes(),
            origin_headers=stack.template.origin_headers(),
            cors=stack.template.cors(),
            log=lambda _: None,
        ),
        site=Bucket(stack.cloud.objects, stack.settings.site_bucket),
        storage=Storage(Engine(stack.store).objects),
        pages=dist,
        outbox=stack.outbox,
        log_request=lambda _: None,
        hosts=Hosts(),
        headers=read_local_headers(stack.template),
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


def test_board_is_stale_while_the_server_is_down(
    stack: Stack, dist: Path, open_page: OpenPage, messages: list[str], shelf: Shelf
) -> None:
    """The rows stay below a banner, which disappears once the server answers again."""
    with serving(stack, dist) as port:
        page = open_page("/about", url=f"http://127.0.0.1:{port}")
        page.clock.install()
        page.goto(f"http://127.0.0.1:{port}/b/thirty")
        expect(page.locator(".board tbody tr")).to_have_count(30)

    page.clock.fast_forward(MORE_THAN_A_POLL)

    expect(page.locator(".banner")).to_contain_text("Not up to date")
    expect(page.locator(".board tbody tr")).to_have_count(30)
    with serving(stack, dist, port):
        page.clock.fast_forward(MORE_THAN_ANY_DELAY)
        expect(page.locator(".banner")).to_have_count(0)
    assert all("ERR_CONNECTION_REFUSED" in message or "ERR_" in message for message in messages)
    messages.clear()


def test_first_answer_replaces_a_served_board_silently(open_page: OpenPage, shelf: Shelf) -> None:
    """What changed before the visitor came is no news: no row is marked, nothing announced; the next change is both."""
    head = shelf.put(make_board("served-long-ago", players=5))
    rows = make_rows(6)
    later = head.model_copy(
        update={"rows": rows, "total": 6, "sequence": head.sequence + 4, "generated_at": datetime.now(UTC)}
    )
    shelf.write_head(later)
    page = open_page("/about")
    page.add_init_script("const later = setTimeout; setTimeout = (act, ms = 0) => later(act, Math.max(ms, 1000))")
    page.clock.install()
    page.goto(page.url.replace("/about", "/b/served-long-ago"))  # and the answer comes before the first frame is drawn

    expect(page.locator(".board tbody tr")).to_have_count(6)
    # Whatever would be said of it is said before the next answer is drawn.
    expect(page.locator("#charts h2").first).to_be_attached()
    assert page.locator(".board tr.changed").count() == 0
    assert page.locator(".unseen[role=status]").inner_text() == ""
    expect(page.locator(".answer")).to_have_text("")

    changed = rows.model_copy(update={"submissions": (9, *rows.submissions[1:])})
    shelf.write_head(later.model_copy(update={"rows": changed, "sequence": later.sequence + 1}))
    page.clock.fast_forward(MORE_THAN_A_POLL)

    expect(page.locator(".unseen[role=status]")).to_contain_text("The board changed: Player 1")
    expect(page.locator(".board tr.changed")).to_have_count(1)


def test_rows_say_how_they_moved_since_the_last_visit(open_page: OpenPage, shelf: Shelf) -> None:
    """A first visit shows no move; one that comes an hour later the places won and lost since, in words too."""
    rows = make_rows(5)
    head = shelf.put(make_board("visited", players=5))
    page = open_page("/about")
    away = page.url
    page.clock.install()
    page.goto(away.replace("/about", "/b/visited"))
    page.wait_for_function("() => localStorage['looks:visited main']")
    assert page.locator(".delta").count() == 0
    page.goto(away)
    page.clock.fast_forward(timedelta(hours=1) // timedelta(milliseconds=1))
    swap = (4, 1, 2, 3, 0)
    names = {"player": tuple(rows.player[index] for index in swap), "name": tuple(rows.name[index] for index in swap)}
    shelf.put(head, rows.model_copy(update=names))

    page.goto(away.replace("/about", "/b/visited"))

    moved = page.locator(".board tr:has(.delta)")
    expect(moved).to_have_count(2)
    expect(moved.first).to_contain_text("▲4, at rank 5 when you were here last")
    expect(moved.last).to_contain_text("▼4, at rank 1 when you were here last")


def test_board_is_final_when_it_closes(open_page: OpenPage, shelf: Shelf) -> None:
    """At the second of closing, without a request, the board says so and its button is gone."""
    page = open_page("/about")
    page.clock.install()
    closes = datetime.now(UTC) + timedelta(minutes=20)
    shelf.put(make_board("closing", players=3).model_copy(update={"closes": closes}))
    page.goto(page.url.replace("/about", "/b/closing"))
    expect(page.get_by_role("link", name="Hand in")).to_be_visible()
    expect(page.locator(".pill").first).to_contain_text("Open until")

    page.clock.fast_forward(timedelta(minutes=21) // timedelta(milliseconds=1))

    expect(page.locator(".pill").first).to_contain_text("Closed")
    expect(page.get_by_role("link", name="Hand in")).to_have_count(0)


def test_archived_board_is_read_only(open_page: OpenPage, shelf: Shelf) -> None:
    """A visitor reads since when and why, as text, and finds no button to hand in a result."""
    shelf.put(make_board("archived", players=3))

    page = open_page("/b/archived")

    expect(page.locator(".banner")).to_contain_text("Archived on 20 Nov 2026, 12:00:00 UTC.")
    expect(page.locator(".banner")).to_contain_text("The season <b>is</b> over.")
    expect(page.locator(".pill.good")).to_have_count(0)
    expect(page.locator(".board tbody tr")).to_have_count(3)
    expect(page.get_by_role("link", name="Hand in")).to_have_count(0)


def test_board_says_since_when_it_has_stood_still(open_page: OpenPage, shelf: Shelf) -> None:
    """A visitor of a board that is set aside reads so at once, and no longer once it is rendered again."""
    board = shelf.put(make_board("stalled", players=3))
    page = open_page("/b/stalled")
    expect(page.locator(".board tbody tr")).to_have_count(3)

    since = datetime(2026, 11, 20, 12, tzinfo=UTC)
    shelf.put(board.model_copy(update={"stalled_since": since, "sequence": board.sequence + 1}))

    expect(page.locator(".banner")).to_contain_text("This board may lack results since 20 Nov 2026, 12:00:00 UTC.")
    expect(page.locator(".banner")).to_contain_text("none is lost")
    expect(page.locator(".board tbody tr")).to_have_count(3)
    shelf.put(board.model_copy(update={"sequence": board.sequence + 2}))
    expect(page.locator(".banner")).to_have_count(0)


def test_result_appears_on_the_open_board(stack: Stack, open_page: OpenPage) -> None:
    """Another player's result updates the board without a reload, marked and announced."""
    httpx.post(
        f"{stack.url}/api/benchmarks/aic-2025/submissions?player=Early",
        json={"question": "1", "text": "TR-L03_V011-1200,1340"},
    ).raise_for_status()
    page = open_page("/about")
    page.evaluate("window.loadedOnce = true; history.pushState(null, '', '/b/aic-2025');")
    page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    row = page.locator(".board tbody tr").filter(has=page.get_by_role("link", name="Early", exact=True))
    expect(row).to_have_count(1, timeout=60_000)

    httpx.post(
        f"{stack.url}/api/benchmarks/aic-2025/submissions?player=Late",
        json={"question": "7", "text": "TR-V030-1519"},
    ).raise_for_status()

    late = page.locator(".board tbody tr").filter(has=page.get_by_role("link", name="Late", exact=True))
    expect(late).to_have_count(1, timeout=60_000)
    expect(late).to_have_class("changed")
    expect(page.get_by_role("status").filter(has_text="The board changed")).to_contain_text("Late (guest) is at rank")
    assert page.evaluate("window.loadedOnce")


def test_update_keeps_sort_focus_and_scroll(open_page: OpenPage, shelf: Shelf) -> None:
    """New rows do not disturb what the visitor is doing."""
    head = shelf.put(make_board("moving", players=30))
    page = open_page("/about")
    page.clock.install()
    page.goto(page.url.replace("/about", "/b/moving?sort=score.Time&q=player"))
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    box = page.get_by_role("checkbox", name="Compare Player 20", exact=True)
    box.focus()
    scrolled = page.evaluate("scrollY")

    shelf.put(head, make_rows(31))
    page.clock.fast_forward(MORE_THAN_A_POLL)

    expect(page.locator(".board tbody tr")).to_have_count(31)
    expect(page.locator(".board tbody tr.changed")).to_contain_text("Player 31")
    expect(box).to_be_focused()
    expect(page.get_by_role("columnheader", name="Time")).to_have_attribute("aria-sort", "ascending")
    assert abs(page.evaluate("scrollY") - scrolled) < 60  # One row was added above.
