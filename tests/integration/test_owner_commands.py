"""`laurel withdraw`, `laurel errors` and `laurel audit` as owners and operators type them."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import httpx
import pytest
from typer.testing import CliRunner

from cli import client
from cli.commands import audit, rescores, submissions
from cli.main import app
from cli.stack import UnknownBenchmark
from scoring_core.errors import Output
from scoring_core.outcome import Outcome
from storage.access.tokens import Scope
from storage.audit import Action, Actor, Role
from storage.benchmarks.store import PublishedBenchmark
from storage.submissions.models import Player, PlayerKind
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark, make_record

BEN = Player("ben", "Ben", PlayerKind.HUMAN, verified=True)


@pytest.fixture
def published(stack: StackHarness) -> PublishedBenchmark:
    """The benchmark `coins`, with a script that failed three times, in colour."""
    published = stack.publish(make_benchmark(COINS))
    for number in range(3):
        record = make_record(published, "Ada", {}, number=number, outcome=Outcome.EVALUATOR_ERROR)
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

    def answer(request: httpx.Request) -> httpx.Response:
        found = api(
            request.method,
            request.url.path,
            query=dict(request.url.params),
            headers=dict(request.headers),
            body=request.content,
        )
        return httpx.Response(found.status, headers={"content-type": found.headers["content-type"]}, json=found.body)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))
    monkeypatch.setattr(audit, "open_trail", lambda _: stack.trail)


def laurel(*arguments: str, token: str = "") -> Any:
    """Type a command."""
    return CliRunner(env={"COLUMNS": "200", "LAUREL_TOKEN": token}).invoke(app, arguments)


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize(
    "arguments",
    [
        ("board", "coin"),
        ("status", "coin", "019bc119-0100-70ac-a1d8-b724381a8cbe"),
        ("submit", "coin", "RESULT"),
        ("drop", "coin", "RESULT"),
        ("withdraw", "coin", "019bc119-0100-70ac-a1d8-b724381a8cbe", "--reason", "x"),
        ("errors", "coin"),
        ("audit", "--benchmark", "coin"),
    ],
)
def test_a_benchmark_that_is_not_there(owner: str, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """A typing error in its id is answered with the one that was meant."""
    result = tmp_path / "result.json"
    result.write_text("{}")

    done = laurel(*(one.replace("RESULT", str(result)) for one in arguments), token=owner)

    assert isinstance(done.exception, UnknownBenchmark), done.output
    assert str(done.exception) == "there is no benchmark 'coin'; did you mean 'coins'?"


@pytest.mark.usefixtures("published")
def test_a_submission_that_is_not_there(owner: str) -> None:
    """Where the benchmark is there, it is the submission that is named."""
    done = laurel("status", "coins", "019bc119-0100-70ac-a1d8-b724381a8cbe", token=owner)

    assert str(done.exception).endswith("there is no such submission")


@pytest.mark.parametrize("command", ["rescore", "rebuild"])
def test_an_act_on_a_benchmark_that_is_not_there(
    stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Nothing is done, and nothing is put on record as done."""
    promoter = SimpleNamespace(aggregator=stack.aggregator)
    monkeypatch.setattr(rescores, "open_promoter", lambda _: promoter)

    done = laurel(command, "coin")

    assert published.id == "coins"
    assert str(done.exception) == "there is no benchmark 'coin'; did you mean 'coins'?"
    assert list(stack.trail.list_entries(benchmark=None, since=None)) == []


def test_withdraw(api: Api, owner: str) -> None:
    """An owner names benchmark, submission and reason, and is told what stands."""
    url = api.post({"coins": 1}, benchmark="coins").body["status_url"]

    done = laurel("withdraw", "coins", url.rpartition("/")[2], "--reason", "wrong [bold]game", token=owner)

    assert done.exit_code == 0, done.output
    assert done.stdout.endswith(" UTC (owner): wrong [bold]game\n")
    assert api.get(url).body["withdrawn"]["reason"] == "wrong [bold]game"


def test_withdraw_by_receipt(api: Api, published: PublishedBenchmark) -> None:
    """A guest shows the receipt."""
    accepted = api.post({"coins": 1}, benchmark="coins").body
    arguments = (accepted["submission"], "--reason", "oops", "--receipt", accepted["receipt"], "--json")

    done = laurel("withdraw", "coins", *arguments)

    assert json.loads(done.stdout)["by"] == "player"


def test_status_by_token(stack: StackHarness, published: PublishedBenchmark, owner: str) -> None:
    """An owner's token opens what the script said, which nobody else is told."""
    (record, *_) = stack.submissions.all_records("coins", version=published.version)

    told = laurel("status", "coins", record.submission.id, token=owner)
    hidden = laurel("status", "coins", record.submission.id)

    assert ("message 0" in told.stdout, "message 0" in hidden.stdout) == (True, False), told.output


def test_errors(owner: str) -> None:
    """Each error is a paragraph with what the script printed, harmless to the terminal; a table counts them."""
    done = laurel("errors", "coins", "--limit", "2", token=owner)

    assert done.exit_code == 0, done.output
    assert [line.strip() for line in done.stdout.splitlines() if "message" in line] == ["message 2", "message 1"]
    assert "the script exited with code 1" in done.stdout
    assert "�[31mTraceback[/]" in done.stdout
    assert done.stdout.splitlines()[-1].split() == ["evaluator_error", "2", "1"]


def test_errors_as_json(owner: str) -> None:
    """Programs get what the API tells, of one outcome if that is asked."""
    every = json.loads(laurel("errors", "coins", "--json", token=owner).stdout)
    invalid = laurel("errors", "coins", "--outcome", "invalid", "--json", token=owner)

    assert [one["message"] for one in every] == ["message 2", "message 1", "message 0"]
    assert json.loads(invalid.stdout) == []


def test_errors_of_a_site_that_goes_round(published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that names itself as the next one is the last: no site keeps the command for ever."""
    asked: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        assert len(asked) < 5
        return httpx.Response(200, json={"errors": [], "next": "again"})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))

    done = laurel("errors", published.id)

    assert (done.exit_code, len(asked)) == (0, 2)


@pytest.mark.parametrize("trouble", ["time", "site"])
def test_what_is_not_scored_in_time_keeps_its_receipt(
    api: Api, published: PublishedBenchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    """Where waiting for a file fails, the report has all files all the same: receipts are shown once."""
    files = [tmp_path / name for name in ("one.json", "two.json")]
    for file in files:
        file.write_text("{}")
    if trouble == "time":
        monkeypatch.setattr(submissions, "MAX_WAIT_SECONDS", 0.0)
    else:
        monkeypatch.setattr(submissions, "get", fail)

    done = laurel("submit", published.id, *map(str, files), "--player", "Ada", "--wait", "--json")
    told = laurel("submit", published.id, *map(str, files), "--player", "Ada", "--wait")

    assert (done.exit_code, told.exit_code) == (1, 1)
    reports = json.loads(done.stdout)
    assert [Path(one["file"]).name for one in reports] == ["one.json", "two.json"]
    assert all(one["accepted"]["receipt"].startswith("receipt_") for one in reports)
    expected = "still queued after 0 seconds" if trouble == "time" else "status: gone"
    assert [one["problem"]["detail"] for one in reports] == [expected] * 2
    assert told.stdout.count("receipt receipt_") == told.stdout.count(expected) == 2


def fail(*_: object, **__: object) -> NoReturn:
    """Do as a site that does not answer."""
    raise httpx.ConnectError("status: gone")


def test_errors_without_a_token(published: PublishedBenchmark) -> None:
    """Who shows no token is told which one is expected."""
    done = laurel("errors", "coins")

    assert isinstance(done.exception, client.ApiError)
    assert "`own` on coins" in str(done.exception)


def test_audit(stack: StackHarness) -> None:
    """Lines come oldest first, as a table or as JSON, of one benchmark if that is asked."""
    stack.trail.add(Actor(id="ben", role=Role.OWNER), Action.RESCORE, benchmark="coins", detail={"to": "0a"})

    stack.publish(make_benchmark())
    stack.publish(make_benchmark(COINS))
    table = laurel("audit").stdout
    lines = json.loads(laurel("audit", "--benchmark", "coins", "--since", "2026-01-01", "--json").stdout)

    assert "rescore" in table
    assert [(one["action"], one["actor"]["id"]) for one in lines] == [("rescore", "ben")]
    assert json.loads(laurel("audit", "--benchmark", "tiny", "--json").stdout) == []
    assert "no entries" in laurel("audit", "--since", "2026-03-02").stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [("36h", datetime(2026, 1, 1, tzinfo=UTC)), ("2026-01-01", datetime(2026, 1, 1, tzinfo=UTC)), (None, None)],
)
def test_since(text: str | None, expected: datetime | None) -> None:
    """A span of time or a date, in UTC."""
    assert audit.read_since(text, datetime(2026, 1, 2, 12, tzinfo=UTC)) == expected


def test_since_nonsense() -> None:
    """What cannot be read is told with what was expected."""
    with pytest.raises(audit.InvalidMoment, match="expected 12h, 7d"):
        audit.read_since("yesterday", datetime(2026, 1, 2, tzinfo=UTC))
