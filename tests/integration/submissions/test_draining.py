"""Queues that a schedule empties: what succeeds is deleted, what fails stays and is reported."""

from collections.abc import Callable
from typing import Any

import pytest

from evaluate import dead_letter
from handlers import draining
from handlers.draining import NotDrained
from tests.harness.stack import Api, InProcess, StackHarness, failing, make_benchmark, make_message, watching

type Log = Callable[[], list[dict[str, Any]]]

FUNCTION = InProcess(dead_letter.lambda_handler, "DeadLetterFunction")
SCHEDULED = {"detail-type": "Scheduled Event"}


@pytest.fixture
def url(stack: StackHarness) -> str:
    """The dead-letter queue, with three results in it that could not be scored."""
    stack.publish(make_benchmark())
    return stack.queue_url("EvaluateDeadLetterQueue")


def fill(stack: StackHarness, api: Api, url: str, *, count: int) -> None:
    """Submit results, and put them into the dead-letter queue."""
    for number in range(count):
        api.post(query={"player": f"Ada {number}"})
    for key in stack.results():
        stack.cloud.sqs.send_message(QueueUrl=url, MessageBody=make_message(key)["body"])


def count_messages(stack: StackHarness, url: str) -> tuple[int, int]:
    """Count the messages that are visible, and those that are hidden."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = stack.cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    return int(attributes[names[0]]), int(attributes[names[1]])


def test_schedule_empties_the_queue(api: Api, stack: StackHarness, url: str) -> None:
    """More messages than one request receives are recorded and deleted in one run."""
    fill(stack, api, url, count=12)

    FUNCTION.invoke(SCHEDULED)

    assert [item["outcome"]["S"] for item in stack.items("SubmissionsTable")] == ["internal_error"] * 12
    assert count_messages(stack, url) == (0, 0)


def test_schedule_empties_the_dead_letters_of_shares(api: Api, stack: StackHarness) -> None:
    """What Lambda refused in a FIFO queue gets an outcome, too."""
    url = stack.queue_url("ShareDeadLetterQueue")
    stack.publish(make_benchmark())
    api.post()
    (key,) = stack.results()
    body = make_message(key)["body"]
    stack.cloud.sqs.send_message(QueueUrl=url, MessageBody=body, MessageGroupId="tiny#0", MessageDeduplicationId="1")

    FUNCTION.invoke(SCHEDULED)

    assert [item["outcome"]["S"] for item in stack.items("SubmissionsTable")] == ["internal_error"]
    assert count_messages(stack, url) == (0, 0)


def test_failed_message_stays_and_is_reported(api: Api, stack: StackHarness, url: str, log: Log) -> None:
    """What fails is neither deleted nor tried again in the same run, and the function fails."""
    fill(stack, api, url, count=3)

    with (
        failing(dead_letter.dead_letter_recorder().submissions.table.client, "PutItem", code="InternalServerError"),
        pytest.raises(NotDrained, match="3 messages failed"),
    ):
        FUNCTION.invoke(SCHEDULED)

    assert stack.items("SubmissionsTable") == []
    assert count_messages(stack, url) == (0, 3)
    assert [line["failed"] for line in log() if line["message"] == "queue drained"] == [3]


def test_run_ends_in_time(api: Api, stack: StackHarness, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time of a run no batch is begun; the next run takes the rest."""
    fill(stack, api, url, count=1)
    monkeypatch.setattr(draining, "DRAIN_SECONDS", -1.0)

    with watching(stack.cloud.sqs, "ReceiveMessage") as receives:
        FUNCTION.invoke(SCHEDULED)

    assert receives == []
    assert count_messages(stack, url) == (1, 0)
