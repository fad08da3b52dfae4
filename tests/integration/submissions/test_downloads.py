"""All submissions as CSV or ZIP: whose they are, what is marked, what is left out, and how long files are."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

import pytest

from api.submissions import downloads as service
from api.submissions import listing
from storage.players.tokens import Scope
from tests.harness.command_line import connect_commands, laurel
from tests.harness.engine import look_inside
from tests.harness.factories import make_player
from tests.harness.stack import COINS, GOOD, GOOD_SCORE, Answer, Api, StackHarness, make_benchmark

KEY: Final = {"Laurel-Player-Key": f"player_{'1' * 32}"}
FAIR: Final = {"question": "1", "text": "TR-V017-4945"}
ODD_NAME: Final = '=HYPERLINK("http://evil")'


def ask(api: Api, headers: dict[str, str], body: Any = None, benchmark: str = "tiny") -> Answer:
    """Ask for a file."""
    return api.ask(f"/api/benchmarks/{benchmark}/downloads", {} if body is None else body, headers)


def read_rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV."""
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def read_all(api: Api, stack: StackHarness, owner: dict[str, str]) -> list[bytes]:
    """Return all ZIPs, one after another."""
    files, cursor = [], None
    while cursor is not None or not files:
        written = ask(api, owner, {"cursor": cursor}).body
        files.append(look_inside().download(written["url"]).body)
        cursor = written["next"]
    return files


def read_tables(api: Api, owner: dict[str, str], **query: str) -> list[str]:
    """Return the pages of the list as CSV, one after another."""
    tables, cursor = [], ""
    while cursor or not tables:
        asked = {**query, **({"cursor": cursor} if cursor else {})}
        headers = {**owner, "Accept": "text/csv"}
        answer = api("GET", "/api/benchmarks/tiny/submissions", query=asked, headers=headers)
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        tables.append(answer.body)
        cursor = "".join(parse_qs(answer.headers.get("link", "").partition(">")[0]).get("cursor", []))
    return tables


@pytest.mark.hostile
def test_table_has_every_submission_marked(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """What is in review, withdrawn or invalid is there and says so; no cell is a formula."""
    stack.publish(make_benchmark(review="score > 70"))
    scored = api.post(FAIR, query={"player": ODD_NAME}).body
    reviewed = api.post(query={"player": "Ada"})
    invalid, withdrawn = api.post({"question": "9"}, query={"player": "Cy"}), api.post(FAIR, query={"player": "Di"})
    for answer in (withdrawn, invalid):
        receipt = {"Authorization": f"Bearer {answer.body['receipt']}"}
        if answer is withdrawn:
            api.ask(f"{answer.body['status_url']}/withdrawal", {"reason": '=a,"b'}, receipt)
    work()

    (table,) = read_tables(api, owner)
    rows = {row["submission"]: row for row in read_rows(table)}

    marks = {
        name: [row[mark] for mark in ("status", "withdrawn")]
        for name, row in ((row["name"], row) for row in rows.values())
    }
    assert marks == {
        f"'{ODD_NAME}": ["scored", "false"],
        "Ada": ["in_review", "false"],
        "Cy": ["invalid", "false"],
        "Di": ["scored", "true"],
    }
    assert float(rows[reviewed.body["submission"]]["score"]) == GOOD_SCORE
    assert rows[invalid.body["submission"]]["message"]
    assert scored["submission"] in rows


@pytest.mark.hostile
def test_nothing_of_an_erased_player_is_in_a_file(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """Neither rows nor results, also where the file ends with them."""
    kept = api.post(FAIR, query={"player": "Ada"}).body["submission"]
    api.post(headers=KEY, query={"player": "Zoë"})
    work()
    own = api("GET", "/api/me/export", headers=KEY, query={"player": "Zoë"}).body["player"]
    api.ask("/api/me/erasure", {"confirm": own}, KEY, query={"player": "Zoë"})

    (table,), (archive,) = read_tables(api, owner), read_all(api, stack, owner)

    assert [row["submission"] for row in read_rows(table)] == [kept]
    assert own not in table
    assert "Zoë" not in table
    assert zipfile.ZipFile(io.BytesIO(archive)).namelist() == ["submissions.csv", f"results/{kept}.json"]


@pytest.mark.hostile
def test_results_are_the_bytes_that_were_submitted(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """Paths are ids, whatever players call themselves and their files."""
    submission = api.post(query={"player": "../../etc/passwd"}).body["submission"]
    work()

    (file,) = read_all(api, stack, owner)

    archive = zipfile.ZipFile(io.BytesIO(file))
    assert archive.namelist() == ["submissions.csv", f"results/{submission}.json"]
    assert json.loads(archive.read(archive.namelist()[1])) == GOOD


@pytest.fixture(params=["LENGTH", "READ_SECONDS", "MAX_RAW_BYTES"])
def _soon_full(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file ends after a few submissions, after no time, or after few bytes of results."""
    module, value = {
        "LENGTH": (service, 2),
        "READ_SECONDS": (listing, -1),
        "MAX_RAW_BYTES": (service, 1),
    }[request.param]
    monkeypatch.setattr(module, request.param, value)


@pytest.mark.usefixtures("_soon_full")
def test_files_follow_one_another(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """However soon a file is full, together they have each submission once, in order."""
    submitted = [api.post({**FAIR, "text": f"TR-V017-{moment}"}).body["submission"] for moment in range(5)]
    work()

    tables = [read_rows(table) for table in read_tables(api, owner, limit="2")]
    archives = [zipfile.ZipFile(io.BytesIO(file)) for file in read_all(api, stack, owner)]

    assert [row["submission"] for table in tables for row in table] == sorted(submitted)
    results = [name for archive in archives for name in archive.namelist() if name.startswith("results/")]
    assert results == [f"results/{submission}.json" for submission in sorted(submitted)]
    assert len(archives) > 1


@pytest.mark.hostile
def test_who_may_not_gets_nothing(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """No file is written for others, for what is no request, or beyond the quota of the day."""
    stack.publish(make_benchmark(COINS))
    players = stack.issue_token(make_player("bo", "Bo"), Scope.SUBMIT, benchmarks=("tiny",))
    refused = [
        ask(api, {}),
        ask(api, players),
        ask(api, owner, benchmark="coins"),
        ask(api, owner, benchmark="nothing"),
        *(
            ask(api, owner, body)
            for body in (
                [],
                {"cursor": 1},
                {"path": "x"},
            )
        ),
    ]

    assert [answer.status for answer in refused] == [401, 403, 403, 404, 422, 422, 422]
    assert stack.keys(stack.results_bucket, "downloads/") == []


@pytest.mark.hostile
def test_files_of_a_day_are_limited(
    api: Api, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch, stack: StackHarness
) -> None:
    """One more is a 429 that writes nothing."""
    monkeypatch.setattr(service, "MAX_PER_DAY", 1)

    answers = [ask(api, owner), ask(api, owner)]

    assert [answer.status for answer in answers] == [201, 429]
    assert answers[1].body["detail"].startswith("quota: an owner may have 1 files written a day")
    assert len(stack.keys(stack.results_bucket, "downloads/")) == 1


@pytest.fixture
def typed(api: Api, stack: StackHarness, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """An owner's token; commands speak to the API and the store of this test."""
    connect_commands(api, monkeypatch, stack)
    return owner["Authorization"].removeprefix("Bearer ")


def test_command_prints_one_table_and_writes_archives(
    api: Api, typed: str, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of several files the table has one header; a folder with something in it is left alone."""
    submitted = [api.post({**FAIR, "text": f"TR-V017-{moment}"}).body["submission"] for moment in range(3)]
    work()
    monkeypatch.setattr(service, "LENGTH", 2)
    monkeypatch.setattr("cli.commands.submissions.listing.PAGE_LENGTH", 2)

    printed = laurel("submissions", "tiny", "--csv", token=typed)
    assert printed.exit_code == 0, printed.exception
    written = laurel("submissions", "tiny", "--zip", str(tmp_path / "all"), "--json", token=typed)
    repeated = laurel("submissions", "tiny", "--zip", str(tmp_path / "all"), token=typed)

    table = csv.DictReader(io.StringIO(printed.stdout_bytes.decode(), newline=""))
    assert [row["submission"] for row in table] == submitted
    assert [Path(file).name for file in json.loads(written.stdout)["files"]] == ["tiny-0001.zip", "tiny-0002.zip"]
    assert "expected a new or empty folder" in str(repeated.exception)
    assert laurel("submissions", "tiny", "--csv", "--json", token=typed).exit_code != 0
