"""A benchmark keeps to its share of the evaluators, whatever its results do."""

import json
import os
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from moto.sqs.models import sqs_backends

from evaluate import queue, sharing
from ledger.keys import ResultKey
from ledger.submission_id import make_submission_id
from ledger.submissions import Player, PlayerKind, Submission
from local.intrinsics import ACCOUNT, REGION
from scoring_core.outcome import Outcome
from tests.integration.laboratory import COINS, GOOD, START, InProcess, Laboratory, failing, make_benchmark, watching

SHARE = 5
FUNCTION = InProcess(queue.lambda_handler, "EvaluateFunction")
PLAYER = Player(id="guest-ada", name="Ada", kind=PlayerKind.HUMAN)
SOON = sharing.WAIT_LIMIT / 2
LATE = sharing.WAIT_LIMIT * 2


@pytest.fixture(autouse=True)
def published(laboratory: Laboratory) -> None:
    """A benchmark with a built-in scorer, and two with a script."""
    for benchmark in (make_benchmark(), make_benchmark(COINS), make_benchmark(COINS, id="gems")):
        laboratory.publish(benchmark)


def test_a_quick_result_is_scored_at_once(laboratory: Laboratory) -> None:
    """A result of a built-in scorer that has not waited is scored by the message that announces it."""
    _put(laboratory, "tiny")

    _deliver(laboratory, "EvaluateQueue", waited=SOON)

    assert _outcomes(laboratory) == {"tiny": [Outcome.SCORED]}
    assert _receive(laboratory, "ShareQueue") == []


@pytest.mark.parametrize(("benchmark_id", "waited"), [("coins", SOON), ("coins", LATE), ("tiny", LATE)])
def test_what_is_slow_or_had_to_wait_is_handed_on(laboratory: Laboratory, benchmark_id: str, waited: timedelta) -> None:
    """A script's result, and any that waited, goes to the share queue in a message group of its benchmark."""
    key = _put(laboratory, benchmark_id)

    _deliver(laboratory, "EvaluateQueue", waited=waited)

    (message,) = _receive(laboratory, "ShareQueue")
    assert _outcomes(laboratory) == {}
    assert message["Attributes"]["MessageGroupId"].startswith(f"{benchmark_id}#")
    assert key.submission in message["Body"]
    assert _receive(laboratory, "EvaluateQueue") == []


def test_what_was_handed_on_is_scored(laboratory: Laboratory) -> None:
    """A result that waited is scored from the share queue."""
    _put(laboratory, "tiny")
    _deliver(laboratory, "EvaluateQueue", waited=LATE)

    _deliver(laboratory, "ShareQueue", waited=LATE)

    assert _outcomes(laboratory) == {"tiny": [Outcome.SCORED]}
    assert _receive(laboratory, "ShareQueue") == []


def test_a_message_delivered_twice_is_handed_on_once(laboratory: Laboratory) -> None:
    """SQS keeps one of the messages that are sent for the same cause."""
    _put(laboratory, "coins")
    (message,) = _receive(laboratory, "EvaluateQueue")

    for _ in range(2):
        FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})

    assert len(_receive(laboratory, "ShareQueue")) == 1


def test_a_benchmark_that_hangs_leaves_room_for_others(laboratory: Laboratory) -> None:
    """Of sixty results that never end five are handed out, and all of another benchmark beside them."""
    for _ in range(60):
        _put(laboratory, "coins")
    _deliver(laboratory, "EvaluateQueue", waited=SOON)
    hanging = _receive(laboratory, "ShareQueue")

    for _ in range(3):
        _put(laboratory, "gems")
    _deliver(laboratory, "EvaluateQueue", waited=SOON)
    handed_out = hanging + _receive(laboratory, "ShareQueue")

    groups = Counter(message["Attributes"]["MessageGroupId"] for message in handed_out)
    of_benchmark = Counter(group.partition("#")[0] for group in groups.elements())
    assert max(groups.values()) == 1
    assert of_benchmark["coins"] == SHARE
    assert of_benchmark["gems"] >= 1


@pytest.mark.parametrize("waited", [SOON, LATE])
def test_what_fails_in_its_share_is_tried_again_later(laboratory: Laboratory, waited: timedelta) -> None:
    """A result that could not be scored leaves its group at once, and is scored there when it comes back."""
    _put(laboratory, "tiny")
    _deliver(laboratory, "EvaluateQueue", waited=LATE)
    with failing(laboratory.cloud.dynamodb, "PutItem"):
        _deliver(laboratory, "ShareQueue", waited=SOON)
    assert _receive(laboratory, "ShareQueue") == []
    _make_visible(laboratory)

    _deliver(laboratory, "EvaluateQueue", waited=waited)
    _deliver(laboratory, "ShareQueue", waited=SOON)

    assert _outcomes(laboratory) == {"tiny": [Outcome.SCORED]}


def test_a_script_that_fails_again_and_again_ends_among_the_dead_letters(laboratory: Laboratory) -> None:
    """Each try takes place in the share of its benchmark, ever later; the sixth is the last."""
    _put(laboratory, "coins")
    delays = []
    for _ in range(sharing.MAX_TRIES):
        _deliver(laboratory, "EvaluateQueue", waited=SOON)
        with watching(laboratory.cloud.sqs, "SendMessage") as sent:
            _deliver(laboratory, "ShareQueue", waited=SOON)  # there is no sandbox here: it fails
        delays += [message["DelaySeconds"] for message in sent]
        _make_visible(laboratory)

    (dead,) = _receive(laboratory, "EvaluateDeadLetterQueue")
    assert delays == [30, 60, 120, 240, 480, 0]
    assert json.loads(dead["Body"])["tries"] == sharing.MAX_TRIES
    assert _receive(laboratory, "EvaluateQueue") == _receive(laboratory, "ShareQueue") == []


def test_a_result_over_which_a_process_died_leaves_its_group(laboratory: Laboratory) -> None:
    """What is received a second time is not tried in its group again."""
    _put(laboratory, "tiny")
    _deliver(laboratory, "EvaluateQueue", waited=LATE)
    (message,) = _receive(laboratory, "ShareQueue")
    message["Attributes"]["ApproximateReceiveCount"] = "2"

    answer = FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})
    _make_visible(laboratory)

    (back,) = _receive(laboratory, "EvaluateQueue")
    assert answer["batchItemFailures"] == []
    assert _outcomes(laboratory) == {}
    assert json.loads(back["Body"])["tries"] == 1


@pytest.mark.parametrize("receives", [2, 6])
def test_what_comes_back_is_tried_in_its_share(laboratory: Laboratory, receives: int) -> None:
    """A result that failed, or over which a process died, is never tried a second time before those of others."""
    _put(laboratory, "tiny")
    (message,) = _receive(laboratory, "EvaluateQueue")
    message["Attributes"]["ApproximateReceiveCount"] = str(receives)

    FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})

    (handed_on,) = _receive(laboratory, "ShareQueue")
    assert _outcomes(laboratory) == {}
    assert json.loads(handed_on["Body"])["tries"] == receives - 1


def test_what_cannot_be_handed_on_comes_back(laboratory: Laboratory) -> None:
    """Where the share queue does not answer, the message fails and is retried: nothing is lost."""
    _put(laboratory, "coins")
    (message,) = _receive(laboratory, "EvaluateQueue")

    with failing(laboratory.cloud.sqs, "SendMessage"):
        answer = FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})

    assert answer["batchItemFailures"] == [{"itemIdentifier": message["MessageId"]}]


def _put(laboratory: Laboratory, benchmark_id: str) -> ResultKey:
    key = ResultKey(benchmark_id, make_submission_id(START, os.urandom(10)))
    submission = Submission(id=key.submission, benchmark=benchmark_id, player=PLAYER)
    laboratory.submissions.put_result(submission, json.dumps(GOOD).encode(), content_type="application/json")
    return key


def _url(laboratory: Laboratory, name: str) -> str:
    return laboratory.cloud.sqs.get_queue_url(QueueName=laboratory.template.resources[name].name)["QueueUrl"]


def _receive(laboratory: Laboratory, name: str) -> list[Any]:
    """Receive every message that SQS hands out, one at a time, and delete none; S3's test events are left out."""
    messages: list[Any] = []
    while received := laboratory.cloud.sqs.receive_message(
        QueueUrl=_url(laboratory, name), MaxNumberOfMessages=1, MessageSystemAttributeNames=["All"]
    ).get("Messages"):
        messages += [message for message in received if "s3:TestEvent" not in message["Body"]]
    return messages


def _deliver(laboratory: Laboratory, name: str, *, waited: timedelta) -> None:
    """Have every message handled that SQS hands out now, and delete those that did not fail."""
    for message in _receive(laboratory, name):
        answer = FUNCTION.invoke({"Records": [_make_record(message, waited=waited)]})
        if not answer["batchItemFailures"]:
            laboratory.cloud.sqs.delete_message(QueueUrl=_url(laboratory, name), ReceiptHandle=message["ReceiptHandle"])


def _make_visible(laboratory: Laboratory) -> None:
    """Let the delay of every message of the evaluate queue be over."""
    for message in sqs_backends[ACCOUNT][REGION].queues[laboratory.template.resources["EvaluateQueue"].name]._messages:
        message.delayed_until = 0.0


def _make_record(message: Any, *, waited: timedelta) -> dict[str, Any]:
    sent = queue.now() - waited
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": {**message["Attributes"], "SentTimestamp": str(int(sent.timestamp() * 1000))},
        "messageAttributes": {},
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:queue",
        "awsRegion": "us-east-1",
    }


def _outcomes(laboratory: Laboratory) -> dict[str, list[Outcome]]:
    outcomes: dict[str, list[Outcome]] = {}
    for key in laboratory.results():
        _, benchmark_id, _, submission = key.split("/")
        version = laboratory.workshop.benchmarks.current(benchmark_id).version
        record = laboratory.submissions.find_record(benchmark_id, submission=submission, version=version)
        if record is not None:
            outcomes.setdefault(benchmark_id, []).append(record.outcome)
    return outcomes
