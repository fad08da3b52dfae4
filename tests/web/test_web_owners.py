"""What the sources promise of the site: errors in one table, a form that publishes, and a result's own file.

Seed 3: "Details of all evaluation errors of all types are also logged to the database for view through the django admin
page"; "Evaluation scripts are per-game python scripts uploaded by the owners of games". Seed 2, section 6: `all.json`.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from cli.commands.new import NewScorer, make_benchmark_folder
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from scoring_core.scorers.full_duplex.submission import FIELDS
from storage.access.tokens import Scope
from tests.harness.local_stack import publish
from tests.web.conftest import ROOT, MakeToken

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
WAIT_MILLISECONDS = 120_000


def submit(stack: Stack, benchmark: str, result: str, **query: str) -> dict[str, str]:
    """Submit a result as a guest, and wait a while for its outcome."""
    url = f"{stack.url}/api/benchmarks/{benchmark}/submissions"
    headers = {"Content-Type": "application/json", "Prefer": "wait=10"}
    answer = httpx.post(url, params=query, content=result, headers=headers, timeout=60).raise_for_status()
    body: dict[str, str] = answer.json()
    return body


def forget_boards(messages: list[str]) -> None:
    """Forget what the browser says of boards of this stack that no benchmark is published for, and of a token's 403."""
    messages[:] = [message for message in messages if not re.search(r"status of 40[34]", message)]


def open_owners_page(page: Page, token: str) -> None:
    """Give the token to the page."""
    page.get_by_label("A token of an owner").fill(token)
    page.get_by_role("button", name="Open").click()


def test_admin_sees_errors_of_all_benchmarks_in_one_table(
    stack: Stack, make_token: MakeToken, open_page: OpenPage, messages: list[str]
) -> None:
    """Errors of two benchmarks are in one table, with their reasons and links."""
    for benchmark, part, result in (
        ("aic-2025", "1", '{"text": "TR-ELSEWHERE-1"}'),
        ("coin-run", "level-1", '{"nothing": 1}'),
    ):
        submit(stack, benchmark, result, part=part, player="Faulty")
    page = open_page("/about", axe=True)
    page.get_by_role("link", name="their page").click()

    open_owners_page(page, make_token(benchmarks=(), scope=Scope.ADMIN))

    for benchmark in ("aic-2025", "coin-run"):
        row = page.get_by_role("row").filter(has_text="Faulty").filter(has_text=benchmark)
        expect(row).to_contain_text("Invalid", timeout=WAIT_MILLISECONDS)
    named = page.get_by_role("row").filter(has_text="ELSEWHERE")
    expect(named.get_by_role("link").first).to_have_attribute("href", re.compile("^/b/aic-2025/s/"))
    forget_boards(messages)


def test_token_of_a_player_opens_no_errors(make_token: MakeToken, open_page: OpenPage, messages: list[str]) -> None:
    """A visitor who owns nothing reads why, instead of a table."""
    page = open_page("/owners")

    open_owners_page(page, make_token())

    expect(page.get_by_role("alert").filter(has_text="expected a token with the scope")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)
    forget_boards(messages)


def test_owner_uploads_script_and_truth_and_reads_the_report_of_check(
    make_token: MakeToken, open_page: OpenPage, messages: list[str], tmp_path: Path
) -> None:
    """A folder whose example is wrong is refused with the difference; once that is mended it is published."""
    folder = tmp_path / "from-the-site"
    make_benchmark_folder(folder, NewScorer.FIELDS)
    expected = folder / "examples" / "expected.yaml"
    right = expected.read_text()
    expected.write_text("sample: {outcome: invalid}\n")
    page = open_page("/owners", axe=True)
    open_owners_page(page, make_token(benchmarks=(), scope=Scope.ADMIN))
    page.get_by_role("tab", name="Publish").click()

    page.get_by_label("Folder").set_input_files(folder)
    page.get_by_role("button", name="Check and publish").click()

    expect(page.get_by_role("heading", name="Not published")).to_be_visible(timeout=WAIT_MILLISECONDS)
    expect(page.get_by_text("outcome: expected invalid, found scored")).to_be_visible()
    expected.write_text(right)
    page.get_by_label("Folder").set_input_files(folder)
    page.get_by_role("button", name="Check and publish").click()
    expect(page.get_by_role("heading", name="Published")).to_be_visible(timeout=WAIT_MILLISECONDS)
    page.get_by_role("link", name="See the board").click()
    expect(page.get_by_role("heading", name="From the site")).to_be_visible()
    forget_boards(messages)


def test_all_json_is_a_file_and_ten_categories_are_a_table(stack: Stack, open_page: OpenPage) -> None:
    """The page of a full-duplex result has the source's file to download, and a row for each of its ten categories."""
    folder = ROOT / "benchmarks" / "full-duplex"
    publish(stack, load_folder(folder))
    accepted = submit(stack, "full-duplex", (folder / "examples" / "heron.json").read_text(), player="Heron")
    page = open_page(f"/b/full-duplex/s/{accepted['submission']}", axe=True)
    page.get_by_label("The receipt of this submission").fill(accepted["receipt"], timeout=WAIT_MILLISECONDS)
    page.get_by_role("button", name="Open").click()

    for category in FIELDS:
        expect(page.get_by_role("rowheader", name=category)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download all.json").click()

    assert download.value.suggested_filename == "all.json"
    content = json.loads(Path(download.value.path()).read_text())
    assert list(content) == [
        "interrupt",
        "reject",
        "First Response Delay",
        "Interruption Total Score",
        "Rejection Total Score",
        "Total Delay",
    ]
