"""The dead-letter queue: a result that failed at every try gets an outcome, if it has none."""

from collections.abc import Callable
from typing import Any

import pytest

from evaluate import dead_letter
from storage.players.tokens import Scope
from storage.submissions.models import APOLOGY
from tests.harness.factories import make_guest, make_player, make_submission
from tests.harness.stack import (
    Api,
    InProcess,
    StackHarness,
    failing,
    make_benchmark,
    make_message,
)

pytestmark = pytest.mark.usefixtures("tiny")

type Log = Callable[[], list[dict[str, Any]]]

FUNCTION = InProcess(dead_letter.handle_messages, "DeadLetterFunction")
RECORDED = make_submission(
    id="019bc119-0100-78a3-a5e8-1d1e89f0efc7",
    benchmark="aic-2025",
    player=make_guest("Ada"),
)


def test_dead_letter_is_recorded_as_internal_error(api: Api, stack: StackHarness, log: Log) -> None:
    """A dead letter becomes `internal_error` under the present version, and the log says so for the alarm."""
    accepted = api.post(query={"player": "Ada"}).body

    answer = FUNCTION.deliver(*stack.results())

    view = api.get(accepted["status_url"]).body
    (line,) = [line for line in log() if line["level"] == "ERROR"]
    assert answer == []
    assert (view["outcome"], view["message"]) == ("internal_error", APOLOGY)
    assert view["name"] == "Ada"
    assert (line["message"], line["submission"], line["recorded"]) == (
        "all retries failed",
        accepted["submission"],
        True,
    )


def test_dead_letter_of_what_waits_for_a_runner_records_nothing(api: Api, stack: StackHarness) -> None:
    """It is not lost: a runner scores it, or the sweep queues it again. A row of an earlier board waits for none."""
    stack.publish(make_benchmark(runs_on="own").withhold())
    api.post(query={"player": "Ada"})

    assert FUNCTION.deliver(*stack.results()) == []
    assert stack.items("SubmissionsTable") == []
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))
    query = {"player": "Heron", "taken_over": "2020-02-01"}
    accepted = api.ask("/api/benchmarks/tiny/submissions", {"scores": {"score": 98}}, owner, query=query).body
    assert FUNCTION.deliver(*stack.results()) == []
    assert api.get(accepted["status_url"]).body["outcome"] == "internal_error"


def test_dead_letter_of_an_unknown_benchmark_is_recorded(stack: StackHarness) -> None:
    """Without a benchmark there is no version."""
    stack.submissions.put_result(RECORDED, b"{}")

    answer = FUNCTION.deliver(f"results/aic-2025/2026-01-15/{RECORDED.id}")

    (item,) = stack.items("SubmissionsTable")
    assert answer == []
    assert (item["submission"]["S"], item["version"]["S"]) == (RECORDED.id, "none")


def test_dead_letter_of_an_unknown_result_is_discarded(stack: StackHarness, log: Log) -> None:
    """A letter about a result that is not there is acknowledged: there is nobody to tell."""
    answer = FUNCTION.deliver("results/tiny/2026-01-15/019bc119-0100-78a3-a5e8-1d1e89f0efc7")

    assert answer == []
    assert stack.items("SubmissionsTable") == []
    assert [line["recorded"] for line in log()] == [False]


@pytest.mark.parametrize("body", ["", "{}", '{"Event": "s3:TestEvent"}', "[" * 100_000])
def test_invalid_message_is_discarded(stack: StackHarness, body: str) -> None:
    """A letter of a foreign shape is acknowledged."""
    answer = FUNCTION.invoke({"Records": [{**make_message("x"), "body": body}]})

    assert answer == {"batchItemFailures": []}
    assert stack.items("SubmissionsTable") == []


def test_only_the_failed_message_comes_back(api: Api, stack: StackHarness, log: Log) -> None:
    """Where a record cannot be written that letter alone comes back, and the log says why."""
    api.post()
    unknown = "results/tiny/2026-01-15/019bc119-0100-78a3-a5e8-1d1e89f0efc7"

    with failing(stack.cloud.dynamodb, "PutItem"):
        answer = FUNCTION.deliver(unknown, *stack.results())

    assert answer == ["message-2"]
    assert [line["exception_name"] for line in log() if "exception_name" in line] == ["Busy"]
    assert stack.items("SubmissionsTable") == []
