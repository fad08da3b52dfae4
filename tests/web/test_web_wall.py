"""A board on a wall: nobody operates it, so it turns, follows the results and outlives a lost connection by itself."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.boards import Shelf, make_board, make_rows

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
TURN = 21_000
MORE_THAN_A_POLL = 9_000


def test_wall_shows_the_first_ten_and_how_to_take_part(open_page: OpenPage) -> None:
    """The first ten rows fill the height of the screen, and a code has the address of the form."""
    page = open_page("/b/thirty/wall")

    rows = page.locator(".wall-rows tbody tr")
    expect(rows).to_have_count(10)
    origin = page.evaluate("location.origin")
    expect(page.get_by_role("img")).to_have_attribute("aria-label", f"Code of {origin}/b/thirty/submit")
    bottom = rows.last.evaluate("row => row.getBoundingClientRect().bottom / innerHeight")
    assert 0.75 < bottom <= 1
    assert page.get_by_role("navigation").count() == 0


def test_wall_turns_through_the_boards(open_page: OpenPage) -> None:
    """Every twenty seconds comes the next board of the benchmark, unless the address names one."""
    page = open_page("/about")
    page.clock.install()
    page.goto(page.url.replace("/about", "/b/many/wall"))
    heading = page.get_by_role("heading", level=1)
    first = heading.inner_text()

    turns = page.locator(".turns")
    shown = turns.locator("[aria-current]")
    expect(shown).to_have_text("All")

    page.clock.fast_forward(TURN)
    expect(heading).not_to_have_text(first)
    expect(shown).to_have_text(heading.inner_text().partition(": ")[2])
    page.goto(page.url.replace("/wall", "/wall?board=level-2"))
    named = heading.inner_text()
    expect(turns).to_have_count(0)
    page.clock.fast_forward(3 * TURN)

    assert heading.inner_text() == named


def test_wall_outlives_a_lost_connection(open_page: OpenPage, shelf: Shelf, messages: list[str]) -> None:
    """Without a network the rows stay, and say since when; afterwards the wall follows by itself."""
    head = shelf.put(make_board("walled", players=5))
    page = open_page("/about")
    page.clock.install()
    page.goto(page.url.replace("/about", "/b/walled/wall?board=main"))
    rows = page.locator(".wall-rows tbody tr")
    expect(rows).to_have_count(5)

    page.route("**/data/b/walled/head.json", lambda route: route.abort())
    page.clock.fast_forward(MORE_THAN_A_POLL)
    expect(page.get_by_text("no connection")).to_be_visible()
    expect(rows).to_have_count(5)
    shelf.put(head, make_rows(6))
    page.unroute("**/data/b/walled/head.json")
    for _ in range(10):
        page.clock.fast_forward(MORE_THAN_A_POLL)

    expect(rows).to_have_count(6)
    expect(page.get_by_text("no connection")).to_have_count(0)
    messages.clear()
