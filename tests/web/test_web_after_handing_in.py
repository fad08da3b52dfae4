"""What a player meets after handing in: the rank comes by itself, and a failure costs nothing that was entered."""

import re
from collections.abc import Callable
from copy import replace
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from local.layout import ROOT
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from tests.harness.local_stack import publish

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

    hand_in(page, name="Tardy rank")

    expect(page.get_by_text("The board does not show this result yet")).to_be_visible(timeout=SCORING_MILLISECONDS)
    expect(page.get_by_role("heading", name=re.compile(r"^\d+.. of \d"))).to_be_visible(timeout=SCORING_MILLISECONDS)
    assert ranks[:2] == [None, None]
    held = {"rank": None, "late": True, "in_review": True, "frozen": True}  # late on a frozen board it never counts
    page.route(STATUS, lambda route: route.fulfill(json=route.fetch().json() | held))
    page.reload()
    expect(page.get_by_text("Late: it came after the close")).to_be_visible()


def test_page_says_who_was_passed(open_page: OpenPage, stack: Stack) -> None:
    """Everybody reads from which rank to which a result brought its player; of a worse one, its player that it is."""
    sprint = load_folder(ROOT / "benchmarks/coin-sprint")  # whose own board is empty for others
    publish(stack, replace(sprint, definition=sprint.definition.model_copy(update={"id": "coin-dash"})))

    def send(player: str, coins: int) -> Any:
        return httpx.post(
            f"{stack.url}/api/benchmarks/coin-dash/submissions",
            params={"player": player, "part": "level-1"},
            headers={"Laurel-Player-Key": f"player_{'e' * 32}", "Prefer": "wait=30"},
            json={"run": {"coins": coins, "time_ms": 60_000}},
            timeout=40,
        ).json()

    for player, coins in (("Bo", 90), ("Cy", 50), ("Di", 40), ("Ed", 30)):
        send(player, coins)
    better, worse = (send("Ed", coins)["submission"] for coins in (60, 55))

    page = open_page(f"/b/coin-dash/s/{better}", width=320)
    expect(page.get_by_role("heading", level=1)).to_have_text("4th → 2nd of 4")
    expect(page.locator(".said")).to_have_text("Ed passed Cy and Di. Next: \u2068Bo\u2069, 30 ahead.")
    expect(page.locator(".ladder .was")).to_have_count(2)
    expect(page.locator(".track .got")).to_have_count(2)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("button", name="Address copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    key = f"localStorage.setItem('player-key', 'player_{'e' * 32}')"
    own = open_page(f"/b/coin-dash/s/{worse}", prepare=lambda tab: tab.add_init_script(key))
    expect(own.locator(".said")).to_contain_text("The best stays 60: this is 5 behind.")


def test_form_keeps_what_was_entered_after_every_failure(open_page: OpenPage, messages: list[str]) -> None:
    """After a rejection, an invalid result and a result without a name, the form has all that was entered."""
    page = open_page("/b/aic-2025/submit")
    labelled = page.request.get(page.url.partition("/b/")[0] + "/api/benchmarks/aic-2025").json()
    page.route(
        re.compile(r"/api/benchmarks/aic-2025$"), lambda route: route.fulfill(json=labelled | {"takes_labels": True})
    )
    page.reload()
    bad = '{"question": "2", "text": "TR-NOWHERE-1200"}'
    page.get_by_role("tabpanel").locator("input[type=file]").set_input_files(
        {"name": "run.json", "mimeType": "application/json", "buffer": bad.encode()}
    )
    page.locator("main select").select_option(index=2)
    part = page.locator("main select").input_value()
    page.get_by_label("A model").check()
    page.get_by_role("textbox", name="Name").fill("Keeper")
    page.get_by_role("textbox", name="Label").fill("step-1")

    def expect_kept() -> None:
        expect(page.get_by_role("textbox", name="Result")).to_have_value(bad)
        expect(page.locator(".drop").first).to_contain_text("run.json")
        expect(page.locator("main select")).to_have_value(part)
        expect(page.get_by_label("A model")).to_be_checked()
        expect(page.get_by_role("textbox", name="Name")).to_have_value("Keeper")
        expect(page.get_by_role("textbox", name="Label")).to_have_value("step-1")

    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("alert")).to_contain_text("Label: expected none")
    assert "422" in messages.pop()
    expect_kept()
    page.get_by_role("link", name="AIC 2025 event retrieval").first.click()
    expect(page.get_by_role("region", name="Board", exact=True)).to_be_visible()
    page.go_back()
    expect_kept()


def test_invalid_result_is_corrected_in_the_form(open_page: OpenPage) -> None:
    """Of an invalid result the way back, by the button or the browser, leads to what was handed in."""
    page = open_page("/b/aic-2025/submit")
    bad = '{"question": "1", "text": "TR-NOWHERE-1200"}'
    hand_in(page, name="Corrector", result=bad)
    page.get_by_role("link", name="Hand in again").click(timeout=SCORING_MILLISECONDS)
    expect(page.get_by_role("textbox", name="Result")).to_have_value(bad)
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Corrector")

    page.go_back()
    page.go_back()

    expect(page.get_by_role("textbox", name="Result")).to_have_value(bad)


def test_player_is_known_in_the_next_tab(open_page: OpenPage) -> None:
    """Another tab of the browser, opened without anything of this one, marks the player's row and knows the name."""
    page = open_page("/b/aic-2025/submit")
    hand_in(page, name="Marta of p3")
    expect(page.locator(".ladder .me")).to_contain_text("Marta of p3 guest you", timeout=SCORING_MILLISECONDS)

    other = page.context.new_page()
    other.goto(page.url.partition("/b/")[0] + "/b/aic-2025")

    expect(other.locator("tr.mine")).to_contain_text("Marta of p3")
    other.goto(page.url.partition("/b/")[0] + "/b/aic-2025/submit")
    expect(other.get_by_role("textbox", name="Name")).to_have_value("Marta of p3")


@pytest.mark.parametrize(
    ("name", "result", "field"),
    [("!!!", RESULT, "Name"), ("laurel_secret-secret-secret", RESULT, "Name"), ("Ada", "{", "Result")],
)
def test_focus_is_on_the_field_that_is_wrong(
    name: str, result: str, field: str, open_page: OpenPage, messages: list[str]
) -> None:
    """After a rejection the field that it is about is marked, described by the message, and has the focus."""
    page = open_page("/b/aic-2025/submit")

    hand_in(page, name=name, result=result)

    wrong = page.get_by_role("textbox", name=field)
    expect(wrong).to_be_focused()
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[aria-invalid=true]")).to_have_count(1)
    described = page.locator(f"[id='{wrong.get_attribute('aria-describedby')}']")
    expect(described.locator("li")).to_have_count(1)
    messages.clear()  # the browser reports a 422 of the API


def test_offline_form_does_not_claim_an_answer(open_page: OpenPage, messages: list[str]) -> None:
    """Without a network the form says that nothing was sent, has the focus on that, and keeps the result."""
    page = open_page("/b/aic-2025/submit")
    page.context.set_offline(True)

    hand_in(page, name="Offline")

    message = page.get_by_role("alert").filter(has_text="You seem to be offline.")
    expect(message).to_be_focused()
    expect(message).to_contain_text("the result is still here")
    expect(page.get_by_role("textbox", name="Result")).to_have_value(RESULT)
    page.context.set_offline(False)
    page.get_by_role("button", name="Hand in").click()
    expect(page).to_have_url(re.compile("/s/[0-9a-f-]{36}$"))
    messages.clear()  # the browser reports the request without a network
