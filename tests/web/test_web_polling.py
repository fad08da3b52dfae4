"""How often an open page asks: often while something happens, seldom while nothing does, at once on focus."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from storage.boards.models import Head, HeadFrozen
from tests.web.boards import START, Shelf, make_board, make_rows

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
LOADING_STEPS = 100
"""Of 10 ms of the page's time; its scripts and files arrive within a few of them, however long that takes."""
COUNT_READS = """(() => {
  let reads = 0;
  const count = (read) => async (...given) => {
    reads++;
    try { return await read(...given); } finally { reads--; }
  };
  const fetched = window.fetch.bind(window);
  window.fetch = count(async (...given) => {
    const response = await fetched(...given);
    for (const name of ['json', 'text', 'arrayBuffer']) response[name] = count(response[name].bind(response));
    return response;
  });
  window.readsAnswers = () => reads > 0;
})()"""
"""An answer that has arrived is read later, by what plans the next request."""


class Asked:
    """The requests of a page, by the end of their path, and a clock that waits for their answers."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.paths: list[str] = []
        self.pending: set[Request] = set()
        page.add_init_script(COUNT_READS)
        page.on("request", self._note)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    def count(self, end: str) -> int:
        """Return how many requests were sent so far."""
        return sum(path.endswith(end) for path in self.paths)

    def pass_seconds(self, seconds: int, *, step: int = 1) -> None:
        """Let time pass for the page; its requests are answered in no time."""
        for _ in range(0, seconds, step):
            self.page.clock.run_for(step * 1000)
            self.settle()

    def settle(self) -> None:
        """Wait for the answers."""
        self.page.evaluate("0")  # events arrive while the browser is asked something
        while self.pending or self.page.evaluate("window.readsAnswers()"):
            self.page.evaluate("0")
        self.page.evaluate(
            "new Promise((resolve) => { const { port1, port2 } = new MessageChannel();"
            " port1.onmessage = resolve; port2.postMessage(0); })"
        )

    def _note(self, request: Request) -> None:
        self.paths.append(request.url.split("?")[0])
        self.pending.add(request)

    def _end(self, request: Request) -> None:
        self.pending.discard(request)  # one of the page before may end now


def open_board(
    open_page: OpenPage,
    board: str,
    *,
    prepare: Callable[[BrowserContext], object] | None = None,
    is_still: bool = False,
) -> Asked:
    """Open a board under a clock of its own, and wait until it shows rows.

    The clock goes on by itself, unless it `is_still`: then only the test moves it, however long the machine takes.
    """
    page = open_page("/about", **({"prepare": prepare} if prepare else {}))
    page.clock.install()
    if is_still:
        page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))  # ahead of the browser's own
    asked = Asked(page)
    page.goto(page.url.replace("/about", f"/b/{board}"))
    row = page.locator(".board tbody tr[data-row]").first  # the app's own: the page is served with rows
    for _ in range(LOADING_STEPS if is_still else 0):
        page.clock.run_for(10)
        asked.settle()
        if row.is_visible():
            break
    expect(row).to_be_visible()
    page.wait_for_load_state("networkidle")
    asked.settle()
    return asked


def make_long_board(name: str) -> Head:
    """Return the head of a board whose further rows only the API has."""
    return make_board(name, players=100)


def as_player(player: str, board: str) -> Callable[[BrowserContext], object]:
    """Return what makes the visitor a player of the board."""
    return lambda context: context.add_init_script(f"localStorage.setItem('player:{board}', '{player}')")


def test_unwatched_page_asks_less_and_less(open_page: OpenPage, shelf: Shelf) -> None:
    """A visible page on a board that stays as it is asks for the head ever less often, for the own place once."""
    shelf.put_first_rows(make_long_board("unwatched"), total=10_000)
    asked = open_board(open_page, "unwatched", prepare=as_player("player-5000", "unwatched"), is_still=True)
    expect(asked.page.get_by_text("You: 5,000th of 10,000")).to_be_visible()

    minutes = []
    for _ in range(4):
        before = asked.count("head.json")
        asked.pass_seconds(60)
        minutes.append(asked.count("head.json") - before)
    before = asked.count("head.json")
    asked.pass_seconds(12 * 60, step=15)

    assert [29 <= minutes[0] <= 31, 14 <= minutes[1] <= 16, *(7 <= count <= 8 for count in minutes[2:])] == [True] * 4
    assert asked.count("head.json") - before <= 12 * 4
    assert asked.count("/around") == 1


def test_front_page_is_as_fresh_as_heads_and_says_who_passed(open_page: OpenPage, shelf: Shelf) -> None:
    """A card follows its head while the index stays: who leads, that it is frozen, and who passed the visitor."""
    head = shelf.put(make_board("lively", players=3))
    page = open_page("/about", prepare=as_player("player-1", "lively"))
    page.clock.install()
    asked = Asked(page)
    page.goto(page.url.replace("/about", "/?q=lively"))
    card = page.locator(".card")
    expect(card).to_contain_text("You: 1st")
    asked.settle()

    before = asked.count("lively/head.json")
    asked.pass_seconds(120, step=10)
    quiet = asked.count("lively/head.json") - before
    rows = make_rows(3).model_copy(
        update={"player": ("player-2", "player-1", "player-3"), "name": ("Rival", "Player 1", "Player 3")}
    )
    frozen = HeadFrozen(since=START, count=7)
    shelf.write_head(head.model_copy(update={"rows": rows, "sequence": head.sequence + 1, "frozen": frozen}))
    asked.pass_seconds(40, step=10)

    assert 3 <= quiet <= 5
    for text in ("Frozen", "Rival", "You: shared 2nd"):
        expect(card).to_contain_text(text)
    you = page.get_by_role("region", name="You")
    expect(you).to_contain_text("shared 2nd in Board lively, Rival passed you")
    expect(you.get_by_role("link", name="All your boards")).to_have_attribute("href", "/p/player-1")


def test_waiting_submission_asks_the_api_less_and_less(open_page: OpenPage, stack: Any, shelf: Shelf) -> None:
    """Its page asks for the status ever more seldom, but at once when the board moved."""
    submission = "01a1fb00-0000-7000-8000-00000000cafe"
    view = {
        "submission": submission, "benchmark": "queued", "status": "queued", "outcome": None, "player": "guest--ada",
        "name": "Ada", "kind": "human", "verified": False, "submitted_at": "2026-11-01T00:00:00Z",
    }  # fmt: skip
    head = shelf.put(make_board("queued", players=3))
    answers: list[str] = []

    def answer(route: Route) -> None:
        answers.append(route.request.url)
        route.fulfill(body=json.dumps(view), content_type="application/json")

    page = open_page("/about")
    page.route("**/api/benchmarks/queued/submissions/*", answer)
    page.clock.install()
    asked = Asked(page)
    page.goto(page.url.replace("/about", f"/b/queued/s/{submission}"))
    expect(page.get_by_text("Waiting to be scored", exact=True)).to_be_visible()
    asked.settle()

    first = len(answers)
    asked.pass_seconds(60)
    in_a_minute = len(answers) - first
    asked.pass_seconds(240, step=2)
    before = len(answers)
    asked.pass_seconds(120)
    quiet = len(answers) - before
    before = len(answers)
    asked.pass_seconds(16)
    at_once = len(answers)
    shelf.put(head, make_rows(4))
    asked.pass_seconds(2)

    assert 29 <= in_a_minute <= 31
    assert 7 <= quiet <= 9
    assert len(answers) >= at_once + 1
