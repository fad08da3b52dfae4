"""The rows of some players on a page of their own, by its address, on each board of a benchmark."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from local.stack import Stack
from tests.harness.local_stack import publish
from tests.harness.stack import PLAYS, make_benchmark
from tests.harness.waiting import wait_for

pytestmark = pytest.mark.e2e

CREW = {name: value for name, value in PLAYS.items() if name != "runs"} | {
    "id": "coin-run-crew",
    "title": "Crew",
    "boards": [{"id": "one", "title": "Level One", "parts": ["one"]}],
}


def test_some_players_are_seen_on_each_board(open_page: Callable[..., Page], stack: Stack, messages: list[str]) -> None:
    """Two of three players, with the board's ranks; a tab leads to the same players on another board."""
    publish(stack, make_benchmark(CREW))
    benchmark, players = f"{stack.url}/api/benchmarks/coin-run-crew", {}
    for name, coins in (("Ada", 1), ("Bea", 2), ("Cid", 3)):
        sent = httpx.post(
            f"{benchmark}/submissions",
            params={"part": "one", "player": name},
            headers={"Prefer": "wait=10"},
            json={"coins": coins, "time": 1.5},
            timeout=30,
        )
        assert sent.json()["outcome"] == "scored", sent.text
        players[name] = sent.json()["player"]
    chosen = f"{players['Ada']},{players['Cid']}"
    wait_for(lambda: len(httpx.get(f"{benchmark}/rows", params={"players": chosen}).json().get("rows", [])) == 2)

    page = open_page(f"/b/coin-run-crew?players={chosen}", width=360)
    rows = page.locator(".board tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("Cid")
    expect(rows.nth(1)).to_contain_text("3")
    expect(rows.nth(1)).to_contain_text("Ada")
    page.get_by_role("navigation", name="Boards of this benchmark").get_by_text("Level One").click()
    expect(rows).to_have_count(2)
    assert page.url.endswith(f"?players={chosen}&board=one")

    with page.expect_response("**/rows?*Ada+L*") as asked:  # the page before asks again and again, too
        page.goto(f"{stack.url}/b/coin-run-crew?players={players['Ada']},Ada%20L")
    expect(page.get_by_role("alert")).to_contain_text("found 'Ada L'")
    expect(page.get_by_role("button", name="Try now")).to_have_count(0)
    assert asked.value.status == httpx.codes.UNPROCESSABLE_ENTITY
    messages[:] = [message for message in messages if "status of 422" not in message]
