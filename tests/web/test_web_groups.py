"""A group on the site: made, joined, looked at on several boards, left, deleted."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from local.stack import Stack
from tests.harness.local_stack import publish
from tests.harness.stack import PLAYS, make_benchmark

pytestmark = pytest.mark.e2e

CREW = {name: value for name, value in PLAYS.items() if name != "runs"} | {
    "id": "coin-run-crew",
    "title": "Crew",
    "boards": [{"id": "one", "title": "Level One", "parts": ["one"]}],
}
FRIEND = f"player_{'f' * 32}"


def test_group_is_made_seen_on_each_board_left_and_deleted(
    open_page: Callable[..., Page], stack: Stack, messages: list[str]
) -> None:
    """The maker joins with the browser's key and sees the members on the board of each tab; then the group is gone."""
    publish(stack, make_benchmark(CREW, windows=["daily"]))
    api = f"{stack.url}/api"

    page = open_page("/b/coin-run-crew?group=new", width=360)
    page.get_by_label("Name", exact=False).fill("Class 7b")
    page.get_by_role("button", name="Make the group").click()
    expect(page.get_by_role("heading", name="Class 7b")).to_be_visible()
    expect(page.get_by_text("Nobody in this group is on this board yet.")).to_be_visible()
    code = page.locator("code").first.inner_text()
    key = page.evaluate("localStorage.getItem('player-key')")
    for name, secret, coins in (("Ada", key, 1), ("Friend", FRIEND, 2)):
        headers = {"Laurel-Player-Key": secret, "Prefer": "wait=10"}
        sent = httpx.post(
            f"{api}/benchmarks/coin-run-crew/submissions",
            params={"part": "one", "player": name},
            headers=headers,
            json={"coins": coins, "time": 1.5},
            timeout=30,
        )
        assert sent.json()["outcome"] == "scored", sent.text
    joined = httpx.post(
        f"{api}/groups/{code}/members", params={"player": "Friend"}, headers={"Laurel-Player-Key": FRIEND}
    )
    assert joined.status_code < 300, joined.text

    page.get_by_label("Name", exact=False).fill("Ada")
    page.get_by_role("button", name="Join").click()
    rows = page.locator(".board tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("Ada")
    expect(rows.nth(1)).to_contain_text("you")
    tabs = page.get_by_role("navigation", name="Boards of this benchmark")
    expect(tabs.locator("[aria-current]")).to_have_text("All")
    times = page.get_by_role("navigation", name="Times")
    for choices, tab, query in ((tabs, "Level One", "&board=one"), (tabs, "All", ""), (times, "Today", "&board=daily")):
        choices.get_by_role("link", name=tab, exact=True).click()
        expect(choices.locator("[aria-current]")).to_have_text(tab)
        expect(rows).to_have_count(2)
        assert page.url.endswith(f"?group={code}{query}")
    assert page.evaluate("document.documentElement.scrollWidth") == 360

    page.get_by_role("button", name="Leave the group").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Friend")
    deleted = httpx.post(f"{api}/groups/{code}/delete", headers={"Laurel-Player-Key": key})
    assert deleted.status_code == 200, deleted.text
    page.reload()
    expect(page.get_by_text("No group has this code.")).to_be_visible()
    assert [message for message in messages if "status of 404" not in message] == []
    messages.clear()
