"""The page of a player over all benchmarks, on which one exports and erases oneself."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from local.stack import Stack
from tests.web.visits import AXE

pytestmark = pytest.mark.e2e

WAIT_MILLISECONDS = 20_000
KEY = f"player_{'a' * 32}"


def test_guest_takes_its_data_along_and_leaves(
    stack: Stack, open_page: Callable[..., Page], messages: list[str]
) -> None:
    """The page shows ranks; with the key and the name it saves one file, then erases, and says so."""
    answer = httpx.post(
        f"{stack.url}/api/benchmarks/aic-2025/submissions?player=Leaving",
        json={"question": "1", "text": "TR-L03_V011-1200,1340"},
        headers={"Laurel-Player-Key": KEY, "Prefer": "wait=10"},
        timeout=30,
    ).raise_for_status()
    player = answer.json()["player"]
    page = open_page(f"/p/{player}", axe=True)
    expect(page.get_by_role("listitem").filter(has_text="AIC 2025")).to_contain_text("of ", timeout=WAIT_MILLISECONDS)
    messages.clear()  # of the requests before the board had the row

    page.get_by_text("This is you").click()
    page.get_by_label("Player key or token").fill(KEY)
    page.get_by_label("Name").fill("Leaving")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download my data").click()
    data = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    violations = page.evaluate(AXE)
    page.get_by_label("I want to be erased.").check()
    page.get_by_role("button", name="Erase me").click()

    expect(page.get_by_role("heading", name="You are erased")).to_be_visible()
    assert (data["player"], len(data["benchmarks"]["aic-2025"]["history"]), violations) == (player, 1, [])
    assert httpx.get(f"{stack.url}/api/benchmarks/aic-2025/players/{player}").status_code == 404
