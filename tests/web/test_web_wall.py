"""A board on a wall: nobody operates it, so it turns, follows the results and outlives a lost connection by itself."""

from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.web.boards import Shelf, make_board, make_rows

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
TURN = 21_000
MORE_THAN_A_POLL = 9_000
UNKNOWN = "/api/benchmarks/"


@pytest.fixture(autouse=True)
def known(messages: list[str]) -> Iterator[None]:
    """Take out that the boards of these tests have heads, and no benchmarks that say who may hand in."""
    yield
    messages[:] = [message for message in messages if UNKNOWN not in message]


def test_wall_shows_all_of_forty_teams(open_page: OpenPage, shelf: Shelf) -> None:
    """Forty rows are on one screen, nothing of them is cut off, and no code leads to where nobody is let in."""
    shelf.put(make_board("hall", players=40))
    page = open_page("/b/hall/wall")
    page.set_viewport_size({"width": 1920, "height": 1080})

    rows = page.locator(".hall li")
    expect(rows).to_have_count(40)
    ends = rows.evaluate_all("rows => rows.map((row) => row.getBoundingClientRect()).map((r) => [r.top, r.bottom])")
    assert all(band < bottom <= 1080 for band, bottom in ends)
    assert len({top for top, _ in ends}) == 20
    expect(page.locator(".band")).to_contain_text("Player 1 leads")
    assert "guest" not in page.locator("main").inner_text()
    expect(page.get_by_role("navigation")).to_have_count(0)
    assert page.locator(".code").count() == 0


def test_wall_has_the_code_of_the_form(open_page: OpenPage) -> None:
    """Where anybody may hand in, a phone's camera finds the form."""
    page = open_page("/b/aic-2025/wall")

    origin = page.evaluate("location.origin")
    expect(page.get_by_role("img")).to_have_attribute("aria-label", f"Code of {origin}/b/aic-2025/submit")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_band_names_who_takes_the_lead(
    open_page: OpenPage, shelf: Shelf, motion: Literal["no-preference", "reduce"]
) -> None:
    """A change of leader is said for twelve seconds, and only the row that won places is tinted, for eight."""
    named = make_rows(12)
    before = named.model_copy(update={"name": (*named.name[:11], "heron-large")})
    head = shelf.put(make_board(f"final-{motion}", players=12, rows=before))
    page = open_page("/about")
    page.emulate_media(reduced_motion=motion)
    page.clock.install()
    page.goto(page.url.replace("/about", f"/b/final-{motion}/wall"))
    band, tinted = page.locator(".band"), page.locator(".hall .up")
    expect(band).to_contain_text("Player 1 leads")
    expect(page.locator(".band.on, .hall .up")).to_have_count(0)
    assert page.locator(".hall .clip").evaluate_all("all => all.every((it) => it.scrollWidth <= it.clientWidth)")

    swap = (4, 1, 2, 3, 0, *range(5, 12))
    names = {"player": tuple(before.player[index] for index in swap), "name": tuple(before.name[i] for i in swap)}
    shelf.put(head, before.model_copy(update=names))
    page.clock.run_for(MORE_THAN_A_POLL)

    expect(band).to_have_text("Player 5 takes the lead from Player 1+0.25")
    expect(band).to_have_class("band on")
    expect(tinted).to_contain_text("Player 5▲4")
    # A row that moves is above those that it passes.
    covers = tinted.evaluate(
        "row => { const box = row.getBoundingClientRect();"
        " return row.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)); }"
    )
    assert covers
    page.clock.run_for(8_100)
    expect(tinted).to_have_count(0)
    page.clock.run_for(4_000)
    expect(band).to_have_class("band")
    expect(band).to_contain_text("Player 5 leads")


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
    named = "Board many: Level 2"
    expect(heading).to_have_text(named)
    expect(turns).to_have_count(0)
    page.clock.fast_forward(3 * TURN)

    assert heading.inner_text() == named
