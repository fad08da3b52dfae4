"""What was withdrawn says so wherever it is still shown."""

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from local.stack import Stack

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
REASON = "It had seen <b>the answers</b>."
SCORING_MILLISECONDS = 60_000


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


def test_a_submission_says_that_it_was_withdrawn(withdrawn: str, open_page: OpenPage) -> None:
    """Its page says when, by whom and why, above everything else."""
    page = open_page(f"/b/aic-2025/s/{withdrawn}")

    expect(page.locator(".banner")).to_contain_text(f"by its player: {REASON}")
    expect(page.get_by_role("heading", name="Scores")).to_be_visible(timeout=SCORING_MILLISECONDS)


def test_a_history_marks_what_was_withdrawn(withdrawn: str, open_page: OpenPage) -> None:
    """The row stays, with a mark."""
    status = open_page(f"/b/aic-2025/s/{withdrawn}")
    expect(status.get_by_role("heading", name="Scores")).to_be_visible(timeout=SCORING_MILLISECONDS)

    page = open_page("/b/aic-2025/p/heron")

    row = page.get_by_role("group", name="History").locator("tbody tr").filter(has_text="Withdrawn")
    expect(row.first.get_by_text("Withdrawn")).to_have_attribute("title", REASON)


def test_a_board_lists_what_was_withdrawn(withdrawn: str, open_page: OpenPage) -> None:
    """Below the board stands whose it was and why, and a link to it."""
    page = open_page("/b/aic-2025")
    line = page.get_by_role("region", name="Withdrawn").get_by_role("listitem").filter(has_text=REASON)
    expect(line).to_have_count(1, timeout=SCORING_MILLISECONDS)

    line.get_by_role("link", name="Heron Large").click()

    expect(page).to_have_url(f"{page.url.partition('/b/')[0]}/b/aic-2025/s/{withdrawn}")
