"""What a visitor needs on the way: which board this is, which tab is chosen, why a board is missing."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from local.stack import Stack
from tests.web.visits import submit_run

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]


def test_level_is_kept_on_the_way_to_a_player_and_after_handing_in(open_page: OpenPage, stack: Stack) -> None:
    """A player's page and a submission's page lead back to the level's board that the visitor came from."""
    submit_run(stack, "Before")  # on a board that nobody has played the question for the same name is a 404
    level = re.compile(r"/b/coin-run\?board=level-2$")
    page = open_page("/b/coin-run/submit?board=level-2")
    expect(page.locator("main select option:checked")).to_have_text("Level 2")
    page.get_by_role("textbox", name="Result").fill('{"level": "level-2", "frames": [[0, 0, 0], [1, 4, 0]]}')
    page.get_by_role("textbox", name="Name").fill("Ways")
    page.get_by_role("button", name="Hand in", exact=True).click()
    back = page.locator(".whose").get_by_role("link", name="Coin Run")
    expect(back).to_have_attribute("href", level)

    back.click()
    page.locator(".board tbody a").first.click()

    expect(page.locator(".crumbs").get_by_role("link", name="Coin Run")).to_have_attribute("href", level)
    page.locator("td a").first.click()
    expect(back).to_have_attribute("href", level)


def test_back_leads_to_the_same_place(open_page: OpenPage) -> None:
    """Back from a player's page shows the board where the visitor left it, on a phone."""
    page = open_page("/b/thirty", width=360, whole=True)
    page.evaluate("scrollTo(0, 673)")
    page.wait_for_function("scrollY === 673")

    page.locator(".board tbody a").nth(12).click()
    expect(page.locator(".portrait h1")).to_be_visible()
    page.go_back()

    expect(page.locator(".board tbody a").nth(12)).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("scrollY") == 673
    top = page.locator(".board tbody a").nth(12).bounding_box()
    assert top
    assert 0 <= top["y"] <= 800


@pytest.mark.parametrize(("query", "name"), [("coin-rnu", "coin-rnu"), ("coin-run?board=level-9", "coin-run/level-9")])
def test_misspelt_board_is_named_in_the_frame(query: str, name: str, browser: Browser, stack: Stack) -> None:
    """A frame of a board that does not exist says so, and where, on the page and in the console."""
    with browser.new_context() as context:
        page = context.new_page()
        lines: list[str] = []
        page.on("console", lambda message: lines.append(message.text))

        page.goto(f"{stack.url}/embed/b/{query}")

        text = f"There is no board “{name}”. {stack.url}"
        expect(page.get_by_role("status")).to_have_text(text)
        assert text in lines
