"""What the sources promise of the site: errors in one table, a form that publishes, and a result's own file.

Seed 3: "Details of all evaluation errors of all types are also logged to the database for view through the django admin
page"; "Evaluation scripts are per-game python scripts uploaded by the owners of games". Seed 2, section 6: `all.json`.
"""

import itertools
import json
import re
import shutil
from collections.abc import Callable
from copy import replace
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest
from playwright.sync_api import Page, expect

from cli.commands.benchmarks.new import NewScorer, make_benchmark_folder
from local.layout import ROOT
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from storage.players.tokens import Scope
from tests.harness.local_stack import publish
from tests.web.conftest import HERON, LONG_AGO, MakeToken
from tests.web.visits import AXE

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
PUBLISHED = {"timeout": 120_000}
NUMBERS = itertools.count()


def forget_boards(messages: list[str]) -> None:
    """Forget what the browser says of boards that no benchmark is published for, and of refused tokens."""
    messages[:] = [message for message in messages if not re.search(r"status of 4(0[1349]|22)", message)]


def open_owners_page(page: Page, token: str) -> None:
    """Give the token to the page."""
    page.get_by_label("Token of an owner").fill(token)
    page.get_by_role("button", name="Open").click()


def look(page: Page) -> None:
    """Check what is shown: axe-core finds nothing, and nothing is wider than the window."""
    assert page.evaluate(AXE) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def make_quiz(folder: Path) -> Path:
    """Make the folder of a quiz whose full marks are reviewed, and whose script fails on one question."""
    make_benchmark_folder(folder, NewScorer.SCRIPT)
    definition, script = folder / "benchmark.yaml", folder / "evaluate.py"
    definition.write_text(definition.read_text() + 'review: "Right >= 100"\n')
    script.write_text(
        script.read_text().replace(
            "    unknown = [",
            '    if "crash" in answers:\n        sys.stderr.write("<b>no such</b> moon\\n")\n        sys.exit(1)\n'
            "    unknown = [",
        )
    )
    return folder


def hand_in(stack: Stack, benchmark: str, player: str, **answers: str) -> None:
    """Submit answers to the quiz as a guest, and wait a while for their outcome."""
    url = f"{stack.url}/api/benchmarks/{benchmark}/submissions"
    httpx.post(url, params={"player": player}, json={"answers": answers}, headers={"Prefer": "wait=10"}, timeout=60)


def test_owner_without_a_shell(
    stack: Stack, make_token: MakeToken, open_page: OpenPage, messages: list[str], tmp_path: Path
) -> None:
    """A folder with an error is refused, the mended one published after a look at its report; then the list has it."""
    folder = make_quiz(tmp_path / "owned-quiz")
    expected = folder / "examples" / "expected.yaml"
    right = expected.read_text()
    expected.write_text("sample: {outcome: invalid}\n")
    page = open_page("/owners", axe=True, width=360)
    look(page)
    open_owners_page(page, make_token(benchmarks=(), scope=Scope.ORGANISE))
    expect(page.get_by_text("This token owns no benchmark.")).to_be_visible()
    look(page)

    page.get_by_label("Choose a folder").set_input_files(folder)
    page.get_by_role("button", name="Check it", exact=True).click()
    expect(page.get_by_role("heading", name="Not published")).to_be_visible(**PUBLISHED)
    expect(page.get_by_text("outcome: expected invalid, found scored")).to_be_visible()
    look(page)
    expected.write_text(right)
    page.get_by_label("Choose a folder").set_input_files(folder)
    page.get_by_role("button", name="Check it", exact=True).click()
    expect(page.get_by_role("heading", name="Checked: ready to be published")).to_be_visible(**PUBLISHED)
    assert httpx.get(f"{stack.url}/api/benchmarks/owned-quiz").status_code == httpx.codes.NOT_FOUND
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("heading", name="Published")).to_be_visible(**PUBLISHED)
    look(page)

    page.get_by_role("link", name="Laurel").click()
    page.get_by_role("link", name="I run a contest").click()
    expect(page.get_by_role("link", name="Owned quiz")).to_be_visible()
    expect(page.get_by_text("nothing waits")).to_be_visible()
    look(page)
    forget_boards(messages)


def test_owner_starts_from_a_table(make_token: MakeToken, open_page: OpenPage, messages: list[str]) -> None:
    """A table becomes a checked folder to download; what is wrong with it is said with row and column."""
    page = open_page("/owners", axe=True, width=360)
    open_owners_page(page, make_token(benchmarks=(), scope=Scope.ORGANISE))
    page.get_by_role("textbox", name="Id of a-z").fill("from-a-table")
    page.get_by_label("Metric").fill("rmse")
    make = page.get_by_role("button", name="Make and check it")

    for answer in ("cat", "3"):
        table = f"id,y,Usage\n1,2,Public\n2,{answer},Private\n".encode()
        page.get_by_label("Choose").first.set_input_files({"name": "s.csv", "mimeType": "text/csv", "buffer": table})
        make.click()
        if answer == "cat":
            expect(page.get_by_text("row 3, column y has 'cat'")).to_be_visible()
            look(page)
    expect(page.get_by_role("heading", name="Checked: ready to be published")).to_be_visible(**PUBLISHED)
    expect(page.get_by_text("rows: column Usage, now Public, final Private")).to_be_visible()
    look(page)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download from-a-table.zip").click()
    names = ZipFile(saved.value.path()).namelist()
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_role("heading", name="Published")).to_be_visible(**PUBLISHED)

    assert {"benchmark.yaml", "solution.csv", "salt.txt", "examples/sample.csv"} <= {*names}
    forget_boards(messages)


@pytest.fixture
def quiz(stack: Stack, tmp_path: Path) -> Path:
    """The folder of a published quiz, with a result that waits, one that failed, and one on the board."""
    folder = make_quiz(tmp_path / f"watched-quiz-{next(NUMBERS)}")
    publish(stack, load_folder(folder))
    hand_in(stack, folder.name, "Cleo", crash="yes")
    hand_in(stack, folder.name, "Ben", **{"capital of France": "Paris", "moons of Mars": "2"})
    hand_in(stack, folder.name, "Ada", **{"capital of France": "Paris"})
    return folder


def test_owner_decides_what_waits_and_takes_it_back(
    stack: Stack, make_token: MakeToken, open_page: OpenPage, messages: list[str], quiz: Path
) -> None:
    """An error has its output as text; a review is accepted, a player banned, and each is undone on the same page."""
    page = open_page(f"/b/{quiz.name}/owners", axe=True, width=320)
    open_owners_page(page, make_token(benchmarks=(quiz.name,), scope=Scope.OWN))
    failed = page.get_by_role("row").filter(has_text="Cleo")
    expect(failed).to_contain_text("Benchmark at fault", **PUBLISHED)
    failed.get_by_text("Output of the evaluation").first.click()
    expect(failed.get_by_text("<b>no such</b> moon")).to_be_visible()
    with page.expect_download() as download:
        failed.get_by_role("button", name="Download the raw result").click()
    assert json.loads(Path(download.value.path()).read_text()) == {"answers": {"crash": "yes"}}
    look(page)

    waiting = page.get_by_role("region", name="In review")
    expect(waiting.get_by_role("checkbox")).to_be_checked()  # there is one alone
    page.get_by_role("button", name="Reject").click()
    error = waiting.get_by_role("alert").last
    expect(error).to_contain_text("Say why")
    expect(error).to_be_focused()  # which happens after it is drawn
    page.get_by_role("button", name="Accept").focus()
    page.keyboard.press("Enter")
    expect(waiting).to_contain_text("1 submission accepted.")
    expect(waiting).to_contain_text("None.")
    look(page)
    waiting.get_by_role("button", name="Undo").click()
    expect(waiting).to_contain_text("1 submission rejected.")

    page.get_by_role("tab", name="Players").click()
    head = httpx.get(f"{stack.url}/data/b/{quiz.name}/head.json").json()
    ada = head["rows"]["player"][head["rows"]["name"].index("Ada")]
    takes_part = page.get_by_role("region", name="Who takes part")
    expect(takes_part.get_by_role("link", name="Ada")).to_have_attribute("href", f"/b/{quiz.name}/p/{ada}")
    for button in ("All submissions as CSV", "Grades as CSV"):
        with page.expect_download() as table:
            takes_part.get_by_role("button", name=button).click()
        assert "Ada" in Path(table.value.path()).read_text(encoding="utf-8-sig")
    page.get_by_role("combobox", name="Player").fill(ada)
    page.get_by_role("tabpanel", name="Players").get_by_role("textbox", name="Reason").fill("sends what others know")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listitem").filter(has_text="sends what others know")).to_contain_text("Ada")
    look(page)
    page.get_by_role("button", name="Lift the ban").click()
    expect(page.get_by_text("The ban of \u2068Ada\u2069 is lifted.")).to_be_visible()
    expect(page.get_by_role("button", name="Lift the ban")).to_have_count(0)
    page.get_by_role("tab", name="Invitations").click()
    expect(page.get_by_role("button", name="Make a link")).to_be_visible()
    look(page)
    forget_boards(messages)


def test_owner_gives_more_time_and_reveals_the_final(
    stack: Stack, make_token: MakeToken, open_page: OpenPage, messages: list[str]
) -> None:
    """Both ask once, and answer in their place; what the platform rejects is said there, too."""
    houses = load_folder(ROOT / "benchmarks/houses")
    closed = houses.definition.model_copy(update={"id": "cottages", "closes": LONG_AGO})
    publish(stack, replace(houses, definition=closed))
    page = open_page("/b/cottages/owners", axe=True, width=360)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    open_owners_page(page, make_token(benchmarks=("cottages",), scope=Scope.OWN))

    page.get_by_role("tab", name="Players").click()
    page.get_by_label("More time", exact=True).check()
    for until, answer in (("2020", "expected a time after"), ("2040", "until 1 Jan 2040"), ("", "has no more time.")):
        page.get_by_label("Player by the id").fill(HERON.id)
        page.get_by_label("Until").fill(until and f"{until}-01-01T12:00")
        page.get_by_label("the player reads it").fill("was ill")
        page.keyboard.press("Enter")
        expect(page.get_by_text(answer)).to_be_visible()
        look(page)
    page.get_by_role("tab", name="Publish").click()
    look(page)
    page.get_by_role("button", name="Reveal the final").press("Enter")
    expect(page.get_by_role("button", name="Reveal the final")).to_have_count(0, **PUBLISHED)
    assert [len(message.partition("Nobody can undo that.")[1]) for message in asked] == [0, 0, 0, 21]
    forget_boards(messages)


def test_correction_is_looked_at_before_it_is_published(
    stack: Stack, make_token: MakeToken, open_page: OpenPage, messages: list[str], quiz: Path
) -> None:
    """A ZIP with another truth says what it changes; it is published with a reason, and all results scored again."""
    (quiz / "truth.json").write_text('{"capital of France": "Paris", "moons of Mars": "two"}')
    file = quiz / "examples" / "right.json"
    file.write_text(file.read_text().replace('"2"', '"two"'))
    page = open_page(f"/b/{quiz.name}/owners", axe=True, width=360, dark=True)
    open_owners_page(page, make_token(benchmarks=(), scope=Scope.ADMIN))
    page.get_by_role("tab", name="Publish").click()

    # The ZIP has the folder around its files, as a phone makes it.
    page.get_by_label("Choose a ZIP").set_input_files(shutil.make_archive(str(quiz), "zip", quiz.parent, quiz.name))
    expect(page.get_by_role("heading", name="Checked: ready to be published")).to_be_visible(**PUBLISHED)
    report = page.get_by_role("region", name="Report")
    expect(report).to_contain_text("ground truth truth.json")
    expect(report).to_contain_text("Results score differently")
    look(page)
    report.get_by_role("textbox", name="Reason").fill("Mars has two moons, in words.")
    report.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", name="Published")).to_be_visible(**PUBLISHED)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("textbox", name="Reason").first.fill("Mars has two moons.")
    page.get_by_role("button", name="Score all results again").click()
    expect(page.get_by_text("The board switches to version")).to_be_visible()
    expect(page.get_by_role("heading", name="Corrections")).to_be_visible(**PUBLISHED)
    expect(page.get_by_text("Mars has two moons.", exact=True)).to_be_visible()
    look(page)
    forget_boards(messages)
