"""What a player meets after handing in: the rank comes by itself."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
SCORING_MILLISECONDS = 60_000
STATUS = re.compile(r"/api/benchmarks/aic-2025/submissions/[0-9a-f-]{36}$")
RESULT = '{"question": "1", "text": "TR-L03_V011-1200,1340"}'


def hand_in(page: Page, *, name: str, result: str = RESULT) -> None:
    """Fill in the form and send it."""
    page.get_by_role("textbox", name="Result").fill(result)
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("button", name="Hand in").click()


def delay_rank(page: Page, *, answers: int) -> list[Any]:
    """Leave the rank out of so many answers that have scores, as while the board is behind; return all ranks."""
    ranks: list[Any] = []

    def answer(route: Route) -> None:
        view = route.fetch().json()
        if view["status"] == "done":
            if len(ranks) < answers:
                view["rank"] = None
            ranks.append(view["rank"])
        route.fulfill(json=view)

    page.route(STATUS, answer)
    return ranks


def test_rank_comes_after_the_scores(open_page: OpenPage) -> None:
    """While the board does not know a scored result, the page says that the rank follows, asks again and shows it."""
    page = open_page("/b/aic-2025/submit")
    ranks = delay_rank(page, answers=2)

    hand_in(page, name="Late rank")

    expect(page.get_by_text("The board does not show this result yet")).to_be_visible(timeout=SCORING_MILLISECONDS)
    expect(page.get_by_text(re.compile(r"Late rank \(guest\) is (shared )?\d+(st|nd|rd|th) of"))).to_be_visible(
        timeout=SCORING_MILLISECONDS
    )
    assert ranks[:2] == [None, None]
    assert ranks[-1] is not None


def test_page_stops_asking_for_a_rank_that_does_not_come(open_page: OpenPage) -> None:
    """After a minute without a rank the page stops asking, and says that the rank follows on the board."""
    page = open_page("/b/aic-2025/submit")
    ranks = delay_rank(page, answers=1_000)
    hand_in(page, name="No rank")
    expect(page.get_by_text("The board does not show this result yet")).to_be_visible(timeout=SCORING_MILLISECONDS)
    page.clock.install()

    page.reload()
    expect(page.get_by_text("The board does not show this result yet")).to_be_visible()
    page.clock.run_for(61_000)
    expect(page.get_by_text("Reload this page later")).to_be_visible()
    asked = len(ranks)
    page.clock.run_for(600_000)

    assert len(ranks) == asked
