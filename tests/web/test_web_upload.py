"""A batch is uploaded from the browser with a token, and followed to its report."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from local.stack import Stack
from tests.web.batches import (
    INVALID_LINE,
    LINES,
    REFUSED_LINE,
    SUBMIT,
    fill_form,
    make_batch,
    show_report,
)
from tests.web.visits import AXE

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
SCORING_MILLISECONDS = 120_000
REASON = "The checkpoint was the wrong one."
STORE = "**/storage/*"
"""The addresses of uploads on one machine."""
UNREADABLE = """const { append } = FormData.prototype;
FormData.prototype.append = () => { FormData.prototype.append = append; throw new DOMException(); }; 0"""
STORED = "JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.cookie])"


def press_upload(page: Page) -> None:
    """Send the form."""
    page.get_by_role("button", name="Upload", exact=True).click()


def number_of(page: Page, label: str) -> Locator:
    """Return the number that the report shows below a label."""
    return page.locator(".facts > div").filter(has=page.get_by_text(label, exact=True)).locator("dd")


def list_batches(stack: Stack, token: str) -> set[str]:
    """Return the ids of the player's newest batches."""
    headers = {"Authorization": f"Bearer {token}"}
    listed = httpx.get(f"{stack.url}/api/benchmarks/aic-2025/batches", headers=headers).raise_for_status().json()
    return {batch["drop"] for batch in listed["batches"]}


def test_batch_is_uploaded_and_followed_to_its_report(token: str, open_page: OpenPage, tmp_path: Path) -> None:
    """All valid lines are scored, the others are listed with their reasons, and the report can be downloaded."""
    page = open_page(SUBMIT, axe=True)
    fill_form(page, token=token)

    press_upload(page)

    end = page.get_by_role("status").filter(has_text=f"{LINES - 2} scored, 2 without a score.")
    expect(end).to_be_visible(timeout=SCORING_MILLISECONDS)
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuenow", str(LINES))
    expect(number_of(page, "Refused")).to_have_text("1")
    expect(number_of(page, "Invalid")).to_have_text("1")
    failures = page.get_by_role("group", name="Without a score").locator("tbody tr")
    expect(failures).to_have_count(2)
    for text in (f"line {REFUSED_LINE}", "Refused", "expected JSON"):
        expect(failures.nth(0)).to_contain_text(text)
    expect(failures.nth(1)).to_contain_text("NOWHERE")
    rows = page.get_by_role("group", name="Every entry").locator("tbody tr")
    expect(rows).to_have_count(LINES)
    expect(rows.filter(has=page.get_by_text("Best", exact=True))).to_have_count(1)
    expect(page.get_by_role("link", name="Rank:")).to_contain_text(" of ")
    with page.expect_download() as download:
        page.get_by_role("button", name="of the report").click()
    download.value.save_as(tmp_path / "report.csv")
    with (tmp_path / "report.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["status"] for line in lines].count("scored") == LINES - 2
    assert "NOWHERE" in lines[INVALID_LINE - 1]["message"]
    assert [bool(line["score"]) for line in lines].count(True) == LINES - 2

    page.get_by_role("link", name=f"line {INVALID_LINE}").first.click()

    # The token is still in memory, so the entry is open: its message, its withdrawal, the names of its player's files.
    expect(page.locator(".message")).to_contain_text("NOWHERE")
    withdraw(page, "submission")
    expect(page.locator(".banner")).to_contain_text(f"by its player: {REASON}")
    page.get_by_role("button", name="Undo the withdrawal").click()
    expect(page.locator(".banner")).to_have_count(0)
    entry = page.url.rpartition("/")[2]
    page.get_by_role("link", name="Heron Large").click()
    history = page.get_by_role("group", name="Submissions")
    # Another test may have sent the same file.
    row = history.locator("tbody tr").filter(has=page.locator(f"a[href$='{entry}']"))
    expect(row.filter(has_text=f"Invalid line {INVALID_LINE}")).to_have_count(1)
    with page.expect_request("**/uploads/*?player=heron"):  # an owner must name the player
        history.get_by_role("link", name=f"line {INVALID_LINE}").first.click()
    with page.expect_request("**/withdrawal?player=heron"):
        withdraw(page, "batch")
    expect(page.get_by_text(f"{LINES - 1} of {LINES - 1} withdrawn.")).to_be_visible()
    page.get_by_role("button", name="Undo the withdrawal of the batch").click()
    expect(page.get_by_text("withdrawn. That can be undone")).to_have_count(0)
    assert token not in page.evaluate(STORED) + page.url


def withdraw(page: Page, noun: str) -> None:
    """Withdraw what a page is about, after its question; of a submission it is folded away."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    question = page.locator("form").filter(has_text=f"Withdraw this {noun}?")
    question.get_by_label("Reason").fill(REASON)
    assert page.evaluate(AXE) == []
    question.get_by_role("button", name="Withdraw", exact=True).click()
    expect(question).to_have_count(0)


def test_folder_is_a_batch_that_the_token_in_memory_opens(token: str, open_page: OpenPage, tmp_path: Path) -> None:
    """A folder is uploaded as a ZIP. The token is stored nowhere: after a reload, the report is shown only with it."""
    for number in (1, 2):
        (tmp_path / f"{number}.json").write_text(f'{{"question": "1", "text": "TR-L03_V011-{number}340"}}')
    page = open_page(SUBMIT)
    fill_form(page, token=token)
    page.get_by_label("Choose a folder").set_input_files(tmp_path)
    press_upload(page)
    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    stored = page.evaluate(STORED)

    page.reload()

    assert token not in stored
    assert list(parse_qs(urlsplit(page.url).query)) == ["upload"]
    expect(page.get_by_role("heading", name="Your batch")).to_be_visible()
    expect(page.get_by_role("heading", name="Report")).to_have_count(0)
    show_report(page, token)
    expect(page.get_by_text("All 2 results are scored.")).to_be_visible(timeout=SCORING_MILLISECONDS)


def test_upload_shows_progress_and_can_be_stopped(token: str, open_page: OpenPage) -> None:
    """A running upload has a progress bar and a button that stops it; the form keeps its content."""
    page = open_page(SUBMIT)
    held: list[Route] = []
    page.route(STORE, lambda route: held.append(route))  # noqa: PLW0108  # playwright marks its handlers
    fill_form(page, token=token)
    press_upload(page)
    expect(page.get_by_role("progressbar", name="Upload")).to_be_visible()
    expect(page.get_by_role("button", name="Uploading …")).to_be_disabled()

    page.get_by_role("button", name="Stop").click()

    expect(page.get_by_role("alert").filter(has_text="the site does not have the file")).to_be_visible()
    expect(page.get_by_text("runs.jsonl,")).to_be_visible()
    expect(page.get_by_role("button", name="Upload", exact=True)).to_be_enabled()


def test_file_uploaded_before_is_the_batch_that_exists(token: str, open_page: OpenPage, stack: Stack) -> None:
    """The second upload shows the first one's report, and says how the same file becomes a batch of its own."""
    page = open_page(SUBMIT, axe=True)
    content = make_batch()
    fill_form(page, token=token, content=content)
    press_upload(page)
    expect(number_of(page, "Scored")).to_have_text(str(LINES - 2), timeout=SCORING_MILLISECONDS)
    batches = list_batches(stack, token)

    page.get_by_role("link", name="Hand in more").click()
    fill_form(page, token=token, content=content)
    press_upload(page)

    expect(page.get_by_role("heading", name="Submitted before")).to_be_visible(timeout=SCORING_MILLISECONDS)
    expect(number_of(page, "Scored")).to_have_text(str(LINES - 2))
    assert page.evaluate(AXE) == []
    assert list_batches(stack, token) == batches
    expect(page.get_by_text("Under another name the file counts again.")).to_be_visible()


@pytest.mark.parametrize("fault", ["lost", "unreadable"])
def test_failed_upload_is_reported_and_retried(fault: str, token: str, open_page: OpenPage, messages: Any) -> None:
    """The form keeps its content after a lost connection, and a file that could not be read."""
    page = open_page(SUBMIT)
    if fault == "lost":
        page.route(STORE, lambda route: route.abort("connectionreset"), times=1)
    else:
        page.evaluate(UNREADABLE)
    fill_form(page, token=token)
    press_upload(page)
    expect(page.get_by_role("alert").filter(has_text="connection was lost")).to_be_visible()

    press_upload(page)

    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    assert fault != "lost" or "ERR_CONNECTION_RESET" in messages.pop()


def test_file_with_a_lost_answer_is_not_sent_again(token: str, open_page: OpenPage, messages: list[str]) -> None:
    """The page checks whether the file has arrived, and opens its report."""
    page = open_page(SUBMIT)
    forms: list[str] = []

    def lose_answer(route: Route) -> None:
        route.fetch()
        forms.append(route.request.url)
        route.abort("connectionreset")

    page.route(STORE, lose_answer)
    fill_form(page, token=token)

    press_upload(page)

    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    assert len(forms) == 1
    assert "ERR_CONNECTION_RESET" in messages.pop()


def test_result_with_a_token_belongs_to_the_verified_player(token: str, open_page: OpenPage) -> None:
    """A token names its player even if guests are allowed; the name field is disabled, and nobody asks who made it."""
    page = open_page(SUBMIT)
    page.get_by_role("button", name="Start from the sample").click()
    page.get_by_label("Token if you have one").fill(token)
    expect(page.get_by_role("textbox", name="Name")).to_be_disabled()
    expect(page.get_by_text("Made by")).to_have_count(0)

    page.get_by_role("button", name="Hand in").click()

    expect(page.locator(".ladder .me")).to_contain_text("Heron Large", timeout=SCORING_MILLISECONDS)
    expect(page.locator(".ladder .me")).not_to_contain_text("guest")
