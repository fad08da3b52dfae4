"""A board on a wall: nobody operates it, so it turns, follows the results and outlives a lost connection by itself."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
TURN = 21_000


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
