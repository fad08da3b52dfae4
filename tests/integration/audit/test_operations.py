"""`laurel rebuild` and `laurel sweep`: an administrator's token starts what runs for minutes, and reads its report."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from aggregate import checking, rescore
from aggregate.checking import BoardOperator
from cli import progress as command
from cli.client import ApiError, NotFinished, UnknownBenchmark
from evaluate import sweep
from storage.audit import Action
from storage.benchmarks.operations import OperationStore
from storage.gateway import clients
from storage.players.tokens import TOKEN_PREFIX, Scope
from tests.harness import command_line
from tests.harness.command_line import connect_commands
from tests.harness.factories import make_guest_record, make_player
from tests.harness.stack import COINS, Api, InProcess, StackHarness, failing, make_benchmark

ADMIN = f"{TOKEN_PREFIX}of-the-administrator"
HANDLERS = {"RescoreFunction": rescore.lambda_handler, "SweepFunction": sweep.lambda_handler}


@pytest.fixture(autouse=True)
def started(stack: StackHarness) -> Iterator[list[dict[str, Any]]]:
    """Run a function at once when it is invoked, and answer as Lambda does; yield the events."""
    started: list[dict[str, Any]] = []

    def answer(params: Any, **_: Any) -> tuple[AWSResponse, dict[str, Any]]:
        (function,) = (name for name in HANDLERS if f"/{stack.template.resources[name].name}/" in params["url"])
        started.append({"function": function, **json.loads(params["body"])})
        with suppress(Exception):
            InProcess(HANDLERS[function], function).invoke(json.loads(params["body"]))
        return AWSResponse(params["url"], 202, HTTPHeaders(), None), {"StatusCode": 202}

    events = clients.gateway().functions.client.meta.events
    events.register("before-call.lambda.Invoke", answer)
    yield started
    events.unregister("before-call.lambda.Invoke", answer)


@pytest.fixture(autouse=True)
def connected(stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line speaks to this test's API, where `coins` is published; it waits for nothing."""
    stack.publish(make_benchmark(COINS))
    stack.issue_token(make_player("gus", "Gus"), Scope.ADMIN, secret=ADMIN)
    connect_commands(api, monkeypatch)
    monkeypatch.setattr(command, "POLL_SECONDS", 0.0)


def laurel(*arguments: str) -> Any:
    """Type a command."""
    return command_line.laurel(*arguments, token=ADMIN)


def test_rebuild_makes_a_board(stack: StackHarness, started: list[dict[str, Any]]) -> None:
    """The board is rebuilt by its function; the report has its rows, and the trail says who asked."""
    published = stack.aggregator.benchmarks.current("coins", fresh=True)
    stack.submissions.put_record(make_guest_record(published, "Ada", {"Coins": 5, "Time": 1.0}, number=1))

    done, again = laurel("rebuild", "coins"), json.loads(laurel("rebuild", "coins", "--json").stdout)

    assert "1 rows" in done.stdout
    assert stack.rows().name == ("Ada",)
    assert (again["rows"], again["next"]) == (1, None)
    assert [event["function"] for event in started] == ["RescoreFunction"] * 2
    (first, _) = sorted(stack.trail.list_page(length=9).entries, key=lambda entry: str(entry.subject))
    assert (first.actor.id, first.action, first.benchmark) == ("gus", Action.REBUILD, "coins")
    assert first.subject in {event["operation"] for event in started}


def test_check_reports_what_differs(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check changes nothing and is no act of the trail; a difference has the exit code of what must be fixed."""
    monkeypatch.setattr(checking, "LOOK_SECONDS", 0.0)
    published = stack.aggregator.benchmarks.current("coins", fresh=True)
    stack.submissions.put_record(make_guest_record(published, "Ada", {"Coins": 5, "Time": 1.0}, number=1))

    before = laurel("rebuild", "coins", "--check")
    laurel("rebuild", "coins")
    after = laurel("rebuild", "coins", "--check", "--json")

    assert (before.exit_code, "Ada" in before.stdout or "guest-ada" in before.stdout) == (1, True), before.output
    assert (after.exit_code, json.loads(after.stdout)) == (0, [])
    assert [entry.action for entry in stack.trail.list_page(length=9).entries] == [Action.REBUILD]


def test_rebuild_out_of_time_goes_on(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rebuild whose function has no time left is started again, from where it stopped, until all is done."""
    published = stack.aggregator.benchmarks.current("coins", fresh=True)
    for number, name in enumerate(("Ada", "Bea")):
        stack.submissions.put_record(make_guest_record(published, name, {"Coins": 5, "Time": 1.0}, number=number))
    run, seconds = BoardOperator.run, iter([0.0, 180.0])
    monkeypatch.setattr(BoardOperator, "run", lambda *given, **_: run(*given, seconds=next(seconds)))

    done = laurel("rebuild", "coins")

    assert "its time ended before the last record: it goes on from there" in done.stdout
    assert set(stack.rows().name) == {"Ada", "Bea"}


def test_sweep_shows_what_is_queued(started: list[dict[str, Any]], stack: StackHarness) -> None:
    """A sweep runs in its own function; without anything lost it says so."""
    done, failed = laurel("sweep", "--hours", "3"), laurel("sweep", "--failed", "--json")

    assert done.stdout == "no results without an outcome\n"
    assert json.loads(failed.stdout) == {}
    assert [event["function"] for event in started] == ["SweepFunction"] * 2
    assert {entry.action for entry in stack.trail.list_page(length=9).entries} == {Action.SWEEP}


def test_unknown_benchmark_is_not_operated_on(stack: StackHarness, started: list[dict[str, Any]]) -> None:
    """Nothing is started or recorded, and the error suggests what was probably meant."""
    error = laurel("rebuild", "coin").exception

    assert (type(error), "did you mean 'coins'?" in str(error)) == (UnknownBenchmark, True)
    assert (started, stack.trail.list_page(length=9).entries) == ([], ())


@pytest.mark.parametrize(
    "body",
    [
        {"operation": "rebuild"},
        {"operation": "sweep", "benchmark": "coins"},
        {"operation": "erase", "benchmark": "coins"},
        {"operation": "sweep", "hours": 0},
        {"operation": "sweep", "failed": "yes"},
    ],
)
def test_wrong_operation_is_rejected(api: Api, started: list[dict[str, Any]], body: dict[str, Any]) -> None:
    """What it is about must be named as it needs it; nothing is started."""
    headers = {"Authorization": f"Bearer {ADMIN}", "Content-Type": "application/json"}

    answer = api("POST", "/api/operations", headers=headers, body=json.dumps(body).encode())

    assert (answer.status, started) == (422, [])


def test_fault_of_the_platform_is_reported_and_tried_again(stack: StackHarness, started: list[dict[str, Any]]) -> None:
    """The report says that it failed, without more; Lambda's next try ends it, and one after that does nothing."""
    with failing(stack.cloud.s3, "GetObject", about="data/b/coins"):
        error = laurel("rebuild", "coins").exception
    operation = started[-1]["operation"]
    function = InProcess(rescore.lambda_handler, "RescoreFunction")
    store = OperationStore(stack.trail.bucket)

    function.invoke({"operation": operation})
    done = store.find(operation)
    function.invoke({"operation": operation})

    assert (type(error), str(error)) == (ApiError, "internal error; the log of the function has more")
    assert done is not None
    assert (done.status, done.detail) == ("done", "")
    assert store.find(operation) == done


def test_operation_that_does_not_end_is_left(
    api: Api, monkeypatch: pytest.MonkeyPatch, started: list[dict[str, Any]]
) -> None:
    """The command ends after its time, and says where the report will be; the report says that it runs."""
    monkeypatch.setattr(command, "MAX_WAIT_SECONDS", -1.0)
    monkeypatch.setattr(OperationStore, "run", lambda *_: None)

    error = laurel("rebuild", "coins").exception

    url = f"/api/operations/{started[-1]['operation']}"
    assert (type(error), url in str(error)) == (NotFinished, True)
    headers = {"Authorization": f"Bearer {ADMIN}"}
    assert api.get(url, headers=headers).body["status"] == "running"
    assert api.get(f"{url[:-1]}{'0' if url[-1] != '0' else '1'}", headers=headers).status == 404
    assert api.get("/api/operations/none", headers=headers).status == 404
