"""A stranger joins by a link, a team is made, and a guest leaves with what it did, with the site alone."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from local.stack import Stack
from storage.players.tokens import Scope
from tests.web.conftest import MakeToken
from tests.web.visits import AXE

pytestmark = pytest.mark.e2e

WAIT_MILLISECONDS = 20_000
KEY = f"player_{'a' * 32}"
EXPECTED = re.compile(r"status of (40[34]|422)|ERR_FAILED")
"""Of benchmarks that are not the token's, or only in the bucket; of an answer that is lost; of a wrong address."""


def make_link(page: Page) -> str:
    """Make a link, and return it."""
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_role("status").locator("code")
    expect(link).to_contain_text("/join#join_")
    return link.inner_text()


def test_from_a_link_to_a_team(make_token: MakeToken, open_page: Callable[..., Page], messages: list[str]) -> None:
    """An owner makes a link; who opens it has a token after the form, which is kept if asked; a member leaves again."""
    page = open_page("/b/aic-2025/owners", axe=True, width=360)
    page.get_by_label("Token of an owner").fill(make_token(benchmarks=("aic-2025",), scope=Scope.OWN))
    page.get_by_role("button", name="Open").click()
    page.get_by_role("tab", name="Invitations").click()

    page.get_by_label("host a game").check()
    with page.expect_request("**/invite") as several:
        make_link(page)
    assert several.value.post_data_json["allows"] == ["submit", "host"]
    page.get_by_label("host a game").uncheck()
    page.get_by_label("Days").fill("30")
    with page.expect_request("**/invite") as asked:
        link = make_link(page)
    assert asked.value.post_data_json == {"uses": 1, "days": 30, "note": "", "allows": ["submit"]}
    page.goto("about:blank")
    page.goto(link)
    page.get_by_label("Keep the token").check()
    page.get_by_label("Name").fill("Team of the page")
    # The answer is lost on the way: the same form gets the same token, though the link is used up.
    page.route("**/invitations/join", lambda route: (route.fetch(), route.abort()), times=1)
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("did not answer")
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("heading", name="You are in")).to_be_visible()
    secret = page.locator("main code").inner_text()
    assert (page.url.partition("#")[2], page.evaluate("localStorage.token")) == ("", secret)
    assert page.evaluate(AXE) == []
    # What a browser offers to keep: a name and a new password in a form that is sent, and then gone.
    fields = page.locator("main form input").evaluate_all(
        "all => all.map(each => [each.autocomplete, each.type, each.value])"
    )
    assert fields == [["username", "text", "Team of the page"], ["new-password", "password", secret]]
    page.get_by_label("Token").press("Enter")
    expect(page.get_by_role("heading", name="Hand in a result")).to_be_visible()
    assert secret not in page.url
    page.goto(f"{page.url.partition('/b/')[0]}/tokens")

    members = make_link(page)
    assert page.evaluate(AXE) == []
    page.get_by_role("button", name="Forget").click()
    assert page.evaluate("localStorage.token") is None
    page.goto("about:blank")
    page.goto(members)
    page.get_by_label("Name").fill("Nina")
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_role("link", name="Tokens and team").click()
    expect(page.get_by_role("listitem").filter(has_text="the player’s own")).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Leave the team").click()
    expect(page.get_by_label("Your token opens it.")).to_be_visible()
    page.goto("about:blank")
    page.goto(members)
    expect(page.get_by_role("heading", name="This link has ended")).to_be_visible()
    messages[:] = [message for message in messages if not EXPECTED.search(message)]


def test_rules_are_accepted_on_the_page(open_page: Callable[..., Page], messages: list[str]) -> None:
    """The page of a link shows the rules, and joins only when they are accepted."""
    opened = {
        "state": "open",
        "allows": ["submit"],
        "benchmarks": ["tiny"],
        "title": "Tiny",
        "player_name": None,
        "member": False,
        "uses": 1,
        "ends_at": "2030-01-01T00:00:00Z",
        "rules": {"tiny": "One account each; no answers by hand.", "other": "https://example.org/rules"},
    }
    sent: list[dict[str, object]] = []
    page = open_page("/about", axe=True, width=360)
    page.route("**/api/invitations/open", lambda route: route.fulfill(json=opened))
    page.route("**/api/invitations/join", lambda route: (sent.append(route.request.post_data_json), route.abort()))
    page.goto(page.url.replace("/about", "/join#join_code"))
    page.get_by_label("Name").fill("Ada")

    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Accept the rules")
    expect(page.get_by_label("I accept the rules")).to_be_focused()
    expect(page.get_by_label("Name")).to_have_attribute("aria-invalid", "false")
    expect(page.get_by_label("Keep the token")).to_be_checked()
    assert page.evaluate(AXE) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_label("I accept the rules").check()
    page.get_by_role("button", name="Join", exact=True).click()

    expect(page.get_by_role("link", name="Read the rules")).to_have_attribute("href", "https://example.org/rules")
    expect(page.get_by_role("alert")).to_contain_text("did not answer")
    assert [body["accept_rules"] for body in sent] == [True]
    messages[:] = [message for message in messages if not EXPECTED.search(message)]


@pytest.mark.parametrize("takes_along", [True, False])
def test_guest_takes_along_what_it_did(
    make_token: MakeToken, open_page: Callable[..., Page], messages: list[str], *, takes_along: bool
) -> None:
    """A browser with a player key joins as the player that it was, if that is wanted; the owner sees who came."""
    page = open_page("/b/coin-run/owners", axe=True, width=360)
    page.get_by_label("Token of an owner").fill(make_token(benchmarks=("coin-run",), scope=Scope.OWN))
    page.get_by_role("button", name="Open").click()
    page.get_by_role("tab", name="Invitations").click()
    link, key, name = make_link(page), f"player_{'7' * 32}", f"Zoë {takes_along}"
    page.evaluate(
        """async ([key, name, run]) => {
            Object.assign(localStorage, { "player-key": key, "player-name": name });
            const headers = { "Content-Type": "application/json", "Laurel-Player-Key": key };
            const path = `/api/benchmarks/coin-run/submissions?part=level-1&player=${encodeURIComponent(name)}`;
            await fetch(path, { method: "POST", headers, body: run });
        }""",
        [key, name, '{"level": "level-1", "frames": [[0, 0, 0], [1, 4, 0]]}'],
    )

    owner, page = page, page.context.new_page()
    page.goto(owner.url.removesuffix("/owners"))
    expect(page.locator("[data-row]").filter(has_text=name)).to_be_visible()
    page.goto(link)
    expect(page.get_by_role("textbox", name="Name")).to_have_value(name)
    page.get_by_label("Take along").set_checked(takes_along)
    assert page.evaluate(AXE) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    with page.expect_response("**/invitations/join") as answer:
        page.get_by_role("button", name="Join", exact=True).click()

    expect(page.get_by_role("heading", name="You are in")).to_be_visible()
    assert answer.value.json()["player"].startswith("guest--") is takes_along
    owner.reload()
    owner.get_by_role("tab", name="Invitations").click()
    expect(owner.get_by_role("listitem").filter(has_text=name)).to_have_count(1)
    owner.get_by_role("tab", name="Players").click()  # the guest, and the player who has no row yet
    expect(owner.get_by_role("listitem").filter(has_text=name)).to_have_count(2 - takes_along)
    messages[:] = [message for message in messages if not EXPECTED.search(message)]


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
