"""`laurel withdraw`, `laurel submissions` and `laurel audit` as owners and operators type them."""

import json
from copy import replace
from pathlib import Path
from typing import NoReturn

import httpx
import pytest

from cli import client
from cli.client import UnknownBenchmark
from scoring_core.outcome import Outcome
from scoring_core.output import Output
from storage.actors import Actor, Role
from storage.audit import Action
from storage.benchmarks.store import PublishedBenchmark
from storage.players.tokens import Scope
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_guest_record, make_player
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark

BEN = make_player("ben", "Ben")
ADMIN = "laurel_of-the-administrator"


@pytest.fixture
def published(stack: StackHarness) -> PublishedBenchmark:
    """The benchmark `coins`, with a script that failed three times, in colour."""
    published = stack.publish(make_benchmark(COINS))
    for number in range(3):
        record = make_guest_record(published, "Ada", {}, number=number, outcome=Outcome.EVALUATOR_ERROR)
        output = Output(stdout="", stderr="\x1b[31mTraceback[/]", ended="exited with code 1")
        stack.submissions.put_record(replace(record, message=f"message {number}", output=output))
    return published


@pytest.fixture
def owner(stack: StackHarness, published: PublishedBenchmark) -> str:
    """The token of an owner of `coins`."""
    return stack.issue_token(BEN, Scope.OWN, benchmarks=("coins",))["Authorization"].removeprefix("Bearer ")


@pytest.fixture(autouse=True)
def connected(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line speaks to this test's API and cloud."""
    connect_commands(api, monkeypatch)
    stack.issue_token(make_player("gus", "Gus"), Scope.ADMIN, secret=ADMIN)


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize(
    "arguments",
    [
        ("board", "coin"),
        ("status", "coin", "019bc119-0100-70ac-a1d8-b724381a8cbe"),
        ("submit", "coin", "RESULT"),
        ("drop", "coin", "RESULT"),
        ("withdraw", "coin", "019bc119-0100-70ac-a1d8-b724381a8cbe", "--reason", "x"),
        ("submissions", "coin"),
    ],
)
def test_unknown_benchmark_is_reported_with_a_suggestion(
    owner: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """The error suggests the id that was probably meant."""
    result = tmp_path / "result.json"
    result.write_text("{}")

    done = laurel(*(argument.replace("RESULT", str(result)) for argument in arguments), token=owner)

    assert isinstance(done.exception, UnknownBenchmark), done.output
    assert str(done.exception) == "there is no benchmark 'coin'; did you mean 'coins'?"


def test_withdraw_prints_the_withdrawal(api: Api, owner: str) -> None:
    """An owner names benchmark, submission and reason."""
    url = api.post({"coins": 1}, benchmark="coins").body["status_url"]

    done = laurel("withdraw", "coins", url.rpartition("/")[2], "--reason", "wrong [bold]game", token=owner)

    assert done.exit_code == 0, done.output
    assert done.stdout.endswith(" UTC (owner): wrong [bold]game\n")
    assert api.get(url).body["withdrawn"]["reason"] == "wrong [bold]game"


def test_errors_are_listed(owner: str) -> None:
    """Each has its reason with the script's output, harmless to the terminal."""
    done = laurel("submissions", "coins", "--outcome", "failed", "--limit", "2", token=owner)

    assert done.exit_code == 0, done.output
    assert [line[-9:] for line in done.stdout.splitlines() if "message" in line] == ["message 2", "message 1"]
    assert "the script exited with code 1" in done.stdout
    assert "�[31mTraceback[/]" in done.stdout


def test_errors_end_at_a_page_that_names_itself(published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """No site keeps the command running forever."""
    asked: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        assert len(asked) < 5
        return httpx.Response(200, json={"submissions": [], "next": "again"})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))

    done = laurel("submissions", published.id)

    assert (done.exit_code, len(asked)) == (0, 2)


@pytest.mark.parametrize("trouble", ["time", "site"])
def test_submission_not_scored_in_time_keeps_its_receipt(
    api: Api, published: PublishedBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    """If waiting fails the report still has all files, for receipts are shown once."""
    files = [tmp_path / name for name in ("one.json", "two.json")]
    for file in files:
        file.write_text("{}")
    if trouble == "time":
        monkeypatch.setattr("cli.commands.submissions.submitting.MAX_WAIT_SECONDS", 0.0)
    else:
        monkeypatch.setattr("cli.commands.submissions.submitting.get", fail)

    done = laurel("submit", published.id, *map(str, files), "--player", "Ada", "--wait", "--json")
    shown = laurel("submit", published.id, *map(str, files), "--player", "Ada", "--wait")

    code = 5 if trouble == "time" else 1  # not finished, or something to fix
    assert (done.exit_code, shown.exit_code) == (code, code)
    reports = json.loads(done.stdout)
    assert [Path(report["file"]).name for report in reports] == ["one.json", "two.json"]
    assert all(report["accepted"]["receipt"].startswith("receipt_") for report in reports)
    expected = "still queued after 0 seconds" if trouble == "time" else "status: gone"
    assert [report["problem"]["detail"] for report in reports] == [expected] * 2
    assert shown.stdout.count("receipt receipt_") == shown.stdout.count(expected) == 2


def test_submission_over_the_quota_has_its_own_exit_code(
    published: PublishedBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is to be fixed; but a file that is wrong comes first."""
    result = tmp_path / "result.json"
    result.write_text("{}")
    problem = {"status": 429, "detail": "quota: each player may submit 5 results a day"}
    answers = [(429, problem), (429, problem), (400, {"status": 400, "detail": "body: expected JSON"})]

    def answer(_: httpx.Request) -> httpx.Response:
        status, body = answers.pop(0)
        return httpx.Response(status, json=body, headers={"content-type": "application/problem+json"})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))

    later = laurel("submit", published.id, str(result))
    wrong = laurel("submit", published.id, str(result), str(result))

    assert (later.exit_code, wrong.exit_code) == (6, 1)


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("result.json", "application/json"),
        ("runs.CSV", "text/csv"),
        ("a.zip", "application/zip"),
        ("result", "application/json"),
    ],
)
def test_file_is_sent_with_the_type_of_its_ending(
    published: PublishedBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, media_type: str
) -> None:
    """The bytes go as they are; what the site says of them is shown."""
    file = tmp_path / name
    file.write_bytes(b"\xff any bytes")
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        problem = {"status": 415, "detail": "Content-Type: expected text/plain"}
        return httpx.Response(415, json=problem, headers={"content-type": "application/problem+json"})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))

    done = laurel("submit", published.id, str(file), "--token", "laurel_of_an_organiser")

    assert [(request.headers["content-type"], request.content) for request in sent] == [(media_type, b"\xff any bytes")]
    assert (done.exit_code, done.stdout) == (1, f"✗ {file}: expected a file that ends in .txt, found {file.name!r}\n")


def fail(*_: object, **__: object) -> NoReturn:
    """Fail as if the site did not answer."""
    raise httpx.ConnectError("status: gone")


@pytest.mark.parametrize("name", ["runs.tar.gz", "runs.csv.gz", "predictions.csv", "runs"])
def test_file_of_another_ending_is_rejected_by_what_is_taken(
    published: PublishedBenchmark, stack: StackHarness, tmp_path: Path, name: str
) -> None:
    """Where a benchmark takes ZIPs only, the message names the file and what to do, not a media type."""
    stack.publish(make_benchmark(COINS, id=published.id, submissions={"takes": ["zip"]}))
    file = tmp_path / name
    file.write_bytes(b"{}")

    done = laurel("submit", published.id, str(file), "--player", "Ada")

    shown = " ".join(done.output.split())
    assert f"expected a file that ends in .zip, found '{name}'; pack it into a ZIP" in shown


def test_errors_without_token_name_the_expected_scope(published: PublishedBenchmark) -> None:
    """The error names the scope that the command needs."""
    done = laurel("submissions", "coins")

    assert isinstance(done.exception, client.ApiError)
    assert "`own` on coins" in str(done.exception)


def test_audit_lists_entries_oldest_first(stack: StackHarness) -> None:
    """Entries are a table or JSON, of one benchmark if requested."""
    stack.trail.add(Actor(id="ben", role=Role.OWNER), Action.RESCORE, benchmark="coins", detail={"to": "0a"})

    stack.publish(make_benchmark())
    stack.publish(make_benchmark(COINS))
    table = laurel("audit", token=ADMIN).stdout
    lines = json.loads(laurel("audit", "--benchmark", "coins", "--since", "2026-01-01", "--json", token=ADMIN).stdout)

    assert "rescore" in table
    assert [(entry["action"], entry["actor"]["id"]) for entry in lines] == [("rescore", "ben")]
    assert json.loads(laurel("audit", "--benchmark", "tiny", "--json", token=ADMIN).stdout) == []
    assert "no entries" in laurel("audit", "--since", "2026-03-02", token=ADMIN).stdout


def test_healed_error_is_not_listed(stack: StackHarness, published: PublishedBenchmark, owner: str) -> None:
    """An error of an earlier version is listed only while the submission has no outcome under the current one."""
    healed, broken = (make_guest_record(published, "Bob", {"Coins": 1, "Time": 1.0}, number=n) for n in (8, 9))
    stack.submissions.put_record(healed)
    for record in (healed, broken):
        failure = replace(record, version="0" * 16, outcome=Outcome.EVALUATOR_ERROR, scores={}, evaluations=())
        stack.submissions.put_record(failure)

    listed = json.loads(laurel("submissions", "coins", "--outcome", "failed", "--json", token=owner).output)

    assert [error["player"] for error in listed] == ["guest-bob", "guest-ada", "guest-ada", "guest-ada"]
    assert listed[0]["submission"] == broken.submission.id
