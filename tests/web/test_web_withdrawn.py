"""A withdrawn submission is marked wherever it is still shown, and so are bans."""

from collections.abc import Callable
from datetime import UTC, datetime

import httpx
import pytest
from playwright.sync_api import Page, expect

from local.stack import Stack
from storage.gateway.table import Table
from storage.players.bans import Ban, BanStore, name_subject
from tests.harness.local_stack import publish
from tests.harness.stack import PLAYS, make_benchmark
from tests.web.boards import Shelf, make_board
from tests.web.visits import make_player, see_all

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
REASON = "It had seen <b>the answers</b>."
SCORING_MILLISECONDS = 60_000
FREEZE: dict[str, object] = {"from": "2026-01-01T00:00:00Z"}


@pytest.fixture(scope="module")
def withdrawn(stack: Stack, token: str) -> str:
    """A scored submission that its player has withdrawn."""
    with httpx.Client(
        base_url=f"{stack.url}/api/benchmarks/aic-2025", headers={"Authorization": f"Bearer {token}"}, timeout=30
    ) as client:
        result = {"question": "1", "text": "TR-L03_V011-1201,1340"}
        accepted = client.post("/submissions", json=result).raise_for_status()
        submission = str(accepted.json()["submission"])
        client.post(f"/submissions/{submission}/withdrawal", json={"reason": REASON}).raise_for_status()
    return submission


def test_submission_page_shows_the_withdrawal(withdrawn: str, open_page: OpenPage) -> None:
    """The page shows when, by whom and why."""
    page = open_page(f"/b/aic-2025/s/{withdrawn}")

    expect(page.locator(".banner")).to_contain_text(f"by its player: {REASON}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Withdrawn")
    expect(page.get_by_role("region", name="Scores")).to_be_visible(timeout=SCORING_MILLISECONDS)


def test_board_lists_withdrawal_notices(withdrawn: str, open_page: OpenPage) -> None:
    """The notice below the board has the player, the reason and a link to the submission."""
    page = open_page("/b/aic-2025", whole=True)
    line = page.get_by_role("region", name="Withdrawn").get_by_role("listitem").filter(has_text=REASON)
    expect(line).to_have_count(1, timeout=SCORING_MILLISECONDS)

    line.get_by_role("link", name="Heron Large").click()

    expect(page).to_have_url(f"{page.url.partition('/b/')[0]}/b/aic-2025/s/{withdrawn}")


def test_bans_are_shown_with_their_reasons(
    stack: Stack, open_page: OpenPage, shelf: Shelf, messages: list[str]
) -> None:
    """A board that has bans lists names and players, whose pages say why they have no rank; any other does not ask."""
    bans = BanStore(Table(stack.cloud.tables, stack.template.resources["AccessTable"].name))
    for subject, name in ((name_subject("Mallory"), "Mallory"), ("player-31", "")):
        bans.put("aic-2025", Ban(subject=subject, name=name, reason=f"{REASON} {name}", at=datetime.now(UTC)))
    shelf.put(make_board("banning", players=3))
    page = open_page("/about")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    listed = page.evaluate("fetch('/api/benchmarks/aic-2025/bans').then(answer => answer.json())")
    page.route("**/api/benchmarks/banning/bans", lambda route: route.fulfill(json=listed))
    page.route(
        "**/api/benchmarks/banning/players/player-31",
        lambda route: route.fulfill(json={**make_player("player-31"), "rank": None, "banned": REASON}),
    )

    page.goto(f"{stack.url}/b/banning")
    see_all(page)

    lines = page.get_by_role("region", name="Banned").get_by_role("listitem")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text(f"every guest named Mallory just now {REASON} Mallory")
    page.goto(f"{stack.url}/b/thirty")
    see_all(page)
    assert not any("thirty/bans" in url for url in asked)
    page.goto(f"{stack.url}/b/banning/p/player-31")
    expect(page.locator(".banner")).to_contain_text(f"by the benchmark’s owner: {REASON}")


@pytest.mark.parametrize(
    ("benchmark", "review", "title", "text", "opened"),
    [
        ("strict", "Time < 2", "In review", "Until it is accepted, it is on no board", 1),
        ("frozen", FREEZE, "Valid", "Until then only its player and the owner see its scores", 1),
        ("blind", FREEZE | {"shows": "owner"}, "Valid", "Until then only the owner sees its scores", 0),
    ],
)
def test_submission_that_waits_says_for_what(
    open_page: OpenPage, stack: Stack, *, benchmark: str, review: object, title: str, text: str, opened: int
) -> None:
    """Its player reads for what it waits, and its scores if they are shown, and neither a rank nor a picture."""
    definition = {name: value for name, value in PLAYS.items() if name != "runs"} | {"id": benchmark}
    publish(stack, make_benchmark(definition, review=review))
    sent = httpx.post(
        f"{stack.url}/api/benchmarks/{benchmark}/submissions",
        params={"player": "Ada", "part": "one"},
        headers={"Prefer": "wait=10"},
        json={"coins": 1, "time": 1.0},
        timeout=30,
    ).json()
    script = f"sessionStorage.setItem('receipt:{sent['submission']}', '{sent['receipt']}')"

    path = f"/b/{benchmark}/s/{sent['submission']}"
    page = open_page(path, width=360, prepare=lambda tab: tab.add_init_script(script))

    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator(".said")).to_contain_text(text)
    expect(page.get_by_role("region", name="Scores")).to_have_count(opened)
    expect(page.locator(".ladder, .track, [href*=png], [name=credential]")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_player_key_opens_and_withdraws_without_the_receipt(open_page: OpenPage, stack: Stack) -> None:
    """In a tab of tomorrow the guest's browser has its key, so details and withdrawal are there; another has none."""
    url = f"{stack.url}/api/benchmarks/aic-2025/submissions"
    keys = [f"player_{digit * 32}" for digit in "ab"]
    sent = httpx.post(
        url,
        params={"player": "Tomorrow"},
        headers={"Laurel-Player-Key": keys[0], "Prefer": "wait=10"},
        json={"question": "1", "text": "TR-L03_V011-1201,1340"},
        timeout=30,
    ).json()
    path = f"/b/aic-2025/s/{sent['submission']}"
    own, other = (
        open_page(
            path, prepare=lambda tab, key=key: tab.add_init_script(f"localStorage.setItem('player-key', '{key}')")
        )
        for key in keys
    )

    for page in (own, other):
        page.get_by_text("Receipt, withdrawal").click()
    expect(other.get_by_placeholder("receipt_… or laurel_…")).to_be_visible()
    expect(other.get_by_role("button", name="Withdraw", exact=True)).to_have_count(0)
    expect(own.get_by_placeholder("receipt_… or laurel_…")).to_have_count(0)
    own.get_by_label("Reason").fill("A wrong file.")
    own.get_by_role("button", name="Withdraw", exact=True).click()
    expect(own.locator(".banner")).to_contain_text("by its player: A wrong file.")
    own.get_by_role("button", name="Undo the withdrawal").click()
    expect(own.get_by_role("button", name="Withdraw", exact=True)).to_be_visible()
