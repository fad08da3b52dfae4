"""A benchmark keeps to its share of the evaluators, whatever its results do."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from evaluate import queue, script_queue, sharing
from sandbox.runtimes import SHIPPED, hash_locks
from scoring_core.outcome import Outcome
from storage.gateway import clients
from storage.gateway.queue import Queue
from storage.gateway.s3_events import TryCounts
from storage.keys import ResultKey, make_submission_id, utc_now
from storage.sandbox import client
from storage.submissions.queues import EvaluateQueue, ShareQueue
from storage.submissions.store import MAX_INLINE_OUTPUT_BYTES
from tests.faults.sandbox import answer_invocation
from tests.harness.clock import START
from tests.harness.engine import look_inside
from tests.harness.factories import make_guest, make_submission
from tests.harness.stack import COINS, GOOD, InProcess, StackHarness, failing, make_benchmark, watching
from tests.integration.mail.test_notify import Log

SHARE = 5
FUNCTION = InProcess(queue.lambda_handler, "EvaluateFunction")
SCRIPTS = InProcess(script_queue.lambda_handler, "ScriptFunction")
PLAYER = make_guest("Ada")
SOON = sharing.WAIT_LIMIT / 2
LATE = sharing.WAIT_LIMIT * 2


@pytest.fixture(autouse=True)
def published(stack: StackHarness) -> None:
    """A benchmark with a built-in scorer, and two with a script."""
    for benchmark in (make_benchmark(), make_benchmark(COINS), make_benchmark(COINS, id="gems")):
        stack.publish(benchmark)


def test_quick_result_is_scored_at_once(stack: StackHarness) -> None:
    """A result of a built-in scorer that has not waited is scored by the message that announces it."""
    _put(stack, "tiny")

    _deliver(stack, "EvaluateQueue", waited=SOON)

    assert _outcomes(stack) == {"tiny": [Outcome.SCORED]}
    assert _receive(stack, "ShareQueue") == []


@pytest.mark.parametrize(
    ("benchmark_id", "waited", "name"),
    [("coins", SOON, "ScriptQueue"), ("coins", LATE, "ScriptQueue"), ("tiny", LATE, "ShareQueue")],
)
def test_slow_or_late_result_is_handed_on(stack: StackHarness, benchmark_id: str, waited: timedelta, name: str) -> None:
    """A script's result, and any that waited, goes to a FIFO queue in a message group of its benchmark."""
    key = _put(stack, benchmark_id)

    _deliver(stack, "EvaluateQueue", waited=waited)

    (message,) = _receive(stack, name)
    assert _outcomes(stack) == {}
    assert message["Attributes"]["MessageGroupId"].startswith(f"{benchmark_id}#")
    assert key.submission in message["Body"]
    assert _receive(stack, "EvaluateQueue") == []


def test_script_of_a_runner_takes_no_share_of_those_that_run_here(stack: StackHarness) -> None:
    """However many results wait for a machine of the owner, others find the queue of scripts empty."""
    stack.publish(make_benchmark(COINS, id="own", runs_on="own").withhold())
    for _ in range(SHARE + 1):
        _put(stack, "own")

    _deliver(stack, "EvaluateQueue", waited=SOON)

    assert (_receive(stack, "ScriptQueue"), _receive(stack, "ShareQueue")) == ([], [])
    assert sum(item["board"]["S"] == "work#own" for item in stack.items("BoardsTable")) == SHARE + 1


def test_redelivered_message_is_handed_on_once(stack: StackHarness) -> None:
    """SQS keeps one of the messages that are sent for the same cause."""
    _put(stack, "coins")
    (message,) = _receive(stack, "EvaluateQueue")

    for _ in range(2):
        FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})

    assert len(_receive(stack, "ScriptQueue")) == 1


def test_a_benchmark_that_hangs_leaves_room_for_others(stack: StackHarness) -> None:
    """Of sixty results that never end five are handed out, and all of another benchmark beside them."""
    for _ in range(60):
        _put(stack, "coins")
    _deliver(stack, "EvaluateQueue", waited=SOON)
    hanging = _receive(stack, "ScriptQueue")

    for _ in range(3):
        _put(stack, "gems")
    _deliver(stack, "EvaluateQueue", waited=SOON)
    handed_out = hanging + _receive(stack, "ScriptQueue")

    groups = Counter(message["Attributes"]["MessageGroupId"] for message in handed_out)
    of_benchmark = Counter(group.partition("#")[0] for group in groups.elements())
    assert max(groups.values()) == 1
    assert of_benchmark["coins"] == SHARE
    assert of_benchmark["gems"] >= 1


@pytest.mark.parametrize("waited", [SOON, LATE])
def test_result_that_fails_in_its_share_is_retried_later(stack: StackHarness, waited: timedelta) -> None:
    """A result that could not be scored leaves its group at once, and is scored there when it comes back."""
    _put(stack, "tiny")
    _deliver(stack, "EvaluateQueue", waited=LATE)
    with failing(stack.cloud.dynamodb, "PutItem"):
        _deliver(stack, "ShareQueue", waited=SOON)
    assert _receive(stack, "ShareQueue") == []
    _make_visible(stack)

    _deliver(stack, "EvaluateQueue", waited=waited)
    _deliver(stack, "ShareQueue", waited=SOON)

    assert _outcomes(stack) == {"tiny": [Outcome.SCORED]}


@pytest.mark.parametrize("gone", ["results/", "benchmarks/"])
def test_log_names_what_is_gone(stack: StackHarness, log: Log, gone: str) -> None:
    """A result that cannot be scored because something does not exist is not one to which access is denied."""
    _put(stack, "coins")
    _deliver(stack, "EvaluateQueue", waited=SOON)
    for key in stack.keys(stack.results_bucket, gone):
        stack.cloud.s3.delete_object(Bucket=stack.results_bucket, Key=key)

    _deliver(stack, "ScriptQueue", waited=SOON)

    assert [line["exception_name"] for line in log() if "exception_name" in line] == ["NotFound"]


def test_script_that_always_fails_becomes_a_dead_letter(stack: StackHarness) -> None:
    """Each try takes place in the share of its benchmark, ever later; the sixth is the last."""
    _put(stack, "coins")
    delays = []
    for _ in range(sharing.MAX_TRIES):
        _deliver(stack, "EvaluateQueue", waited=SOON)
        with watching(stack.cloud.sqs, "SendMessage") as sent:
            _deliver(stack, "ScriptQueue", waited=SOON)  # there is no sandbox here: it fails
        delays += [message["DelaySeconds"] for message in sent]
        _make_visible(stack)

    (dead,) = _receive(stack, "EvaluateDeadLetterQueue")
    assert delays == [30, 60, 120, 240, 480, 0]
    assert json.loads(dead["Body"])["tries"] == sharing.MAX_TRIES
    assert _receive(stack, "EvaluateQueue") == _receive(stack, "ScriptQueue") == []


@pytest.mark.parametrize("tries", [0, 4])
def test_result_whose_sandbox_is_throttled_keeps_its_tries(stack: StackHarness, tries: int) -> None:
    """A script that was never started uses up no try, and is asked for ever later."""
    queued = EvaluateQueue(Queue(stack.cloud.messages, stack.queue_url("EvaluateQueue")), stack.results_bucket)
    key = _put(stack, "coins")
    _receive(stack, "EvaluateQueue")
    queued.send_retry(key, TryCounts(tries))
    delays, counts = [], []
    for _ in range(8):
        _deliver(stack, "EvaluateQueue", waited=SOON)
        with watching(stack.cloud.sqs, "SendMessage") as sent, _throttled():
            _deliver(stack, "ScriptQueue", waited=SOON)
        (message,) = sent
        delays.append(message["DelaySeconds"])
        counts.append(json.loads(message["MessageBody"]).get("tries", 0))
        _make_visible(stack)
    _deliver(stack, "EvaluateQueue", waited=SOON)

    with _sandbox():
        _deliver(stack, "ScriptQueue", waited=SOON)

    assert delays == [30, 60, 120, 240, 480, 900, 900, 900]
    assert counts == [tries] * 8
    assert _outcomes(stack) == {"coins": [Outcome.EVALUATOR_ERROR]}


def test_result_that_is_throttled_for_days_is_counted(stack: StackHarness) -> None:
    """A sandbox that never has room is a failure in the end."""
    key = _put(stack, "coins")
    sender = ShareQueue(Queue(stack.cloud.messages, stack.queue_url("ScriptQueue")), stack.results_bucket, slots=1)
    sender.send(key, TryCounts(5, sharing.MAX_THROTTLES), cause="test")

    with _throttled():
        _deliver(stack, "ScriptQueue", waited=SOON)

    (dead,) = _receive(stack, "EvaluateDeadLetterQueue")
    assert json.loads(dead["Body"])["tries"] == sharing.MAX_TRIES


def test_slots_have_environments_of_their_own(stack: StackHarness) -> None:
    """A run takes place in the tenant of its message group, where no other takes place at the same time.

    The sandbox is that of the runtime. What a script prints at length is recorded, also if its environment is spent.
    """
    stack.publish(make_benchmark(COINS, id="plain", runtime="plain").pin_runtime(hash_locks(SHIPPED)))
    for _ in range(20):
        _put(stack, "plain", {"prints": "x" * MAX_INLINE_OUTPUT_BYTES, "spent": True})
    _deliver(stack, "EvaluateQueue", waited=SOON)
    messages = _receive(stack, "ScriptQueue")

    with _sandbox() as runs:
        for message in messages:
            SCRIPTS.invoke({"Records": [_make_record(message, waited=SOON)]})

    version = stack.aggregator.benchmarks.current("plain").version
    groups = [message["Attributes"]["MessageGroupId"] for message in messages]
    assert [run["headers"]["X-Amz-Tenant-Id"] for run in runs] == [
        f"{version}-{group.removeprefix('plain#')}-0" for group in groups
    ]
    assert all("-sandbox-plain/" in run["url"] for run in runs)
    assert len(stack.keys(stack.results_bucket, "records/plain/")) == len(runs)
    assert len(set(groups)) > 1


@pytest.mark.parametrize("script_first", [True, False])
def test_each_version_is_scored_by_its_function(stack: StackHarness, *, script_first: bool) -> None:
    """One version runs a script and one does not: evaluate never asks the sandbox, and each has one record."""
    built_in, script = make_benchmark(id="both"), make_benchmark(COINS, id="both")
    stack.publish(script if script_first else built_in)
    _put(stack, "both")
    published = stack.publish(built_in if script_first else script)

    with _sandbox() as runs:
        _deliver(stack, "EvaluateQueue", waited=SOON)
        asked_by_evaluate = len(runs)
        for name in ("ScriptQueue", "ShareQueue"):
            _deliver(stack, name, waited=SOON)

    recorded = {item["version"]["S"]: item["outcome"]["S"] for item in stack.items("SubmissionsTable")}
    assert recorded == {
        version.version: Outcome.EVALUATOR_ERROR if version.definition.runs_script else Outcome.SCORED
        for version in published.active_versions
    }
    assert (asked_by_evaluate, len(runs)) == (0, 1)
    assert not any(_receive(stack, name) for name in ("EvaluateQueue", "ScriptQueue", "ShareQueue"))


def test_result_is_passed_on_if_its_benchmark_runs_no_script_any_more(stack: StackHarness) -> None:
    """A result that waits for a script while the benchmark goes without one is scored in the share of the benchmark."""
    stack.publish(make_benchmark(COINS, id="both"))
    _put(stack, "both")
    _deliver(stack, "EvaluateQueue", waited=SOON)
    stack.cloud.s3.delete_object(Bucket=stack.results_bucket, Key="benchmarks/both/current.json")
    stack.publish(make_benchmark(id="both"))

    _deliver(stack, "ScriptQueue", waited=SOON)
    _deliver(stack, "ShareQueue", waited=SOON)

    assert _outcomes(stack) == {"both": [Outcome.SCORED]}


def test_unknown_object_is_not_passed_on(stack: StackHarness) -> None:
    """An object that is no result leaves the queues, although it has no outcome under any version."""
    stack.publish(make_benchmark(COINS, id="both"))
    _put(stack, "both")
    stack.publish(make_benchmark(id="both"))
    key = ResultKey("both", make_submission_id(START, os.urandom(10)))
    for message in _receive(stack, "EvaluateQueue"):
        stack.cloud.sqs.delete_message(
            QueueUrl=stack.queue_url("EvaluateQueue"), ReceiptHandle=message["ReceiptHandle"]
        )
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=str(key), Body=b"{}", IfNoneMatch="*")
    _deliver(stack, "EvaluateQueue", waited=SOON)

    _deliver(stack, "ScriptQueue", waited=SOON)

    assert not any(_receive(stack, name) for name in ("EvaluateQueue", "ScriptQueue", "ShareQueue"))


def test_result_of_a_dead_process_leaves_its_group(stack: StackHarness) -> None:
    """What is received a second time is not tried in its group again."""
    _put(stack, "tiny")
    _deliver(stack, "EvaluateQueue", waited=LATE)
    (message,) = _receive(stack, "ShareQueue")
    message["Attributes"]["ApproximateReceiveCount"] = "2"

    answer = FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})
    _make_visible(stack)

    (back,) = _receive(stack, "EvaluateQueue")
    counts = {name: count for name, count in json.loads(back["Body"]).items() if name in {"tries", "unanswered"}}
    assert answer["batchItemFailures"] == []
    assert _outcomes(stack) == {}
    assert counts == {"unanswered": 1}


def test_result_that_lambda_throttles_uses_up_no_try(stack: StackHarness) -> None:
    """A result that the function was never called for in ten rounds is scored when there is room."""
    _put(stack, "tiny")
    delays = []
    for _ in range(10):
        _deliver(stack, "EvaluateQueue", waited=LATE)
        (message,) = _receive(stack, "ShareQueue")  # as Lambda's pollers do; there is no room until it is visible again
        message["Attributes"]["ApproximateReceiveCount"] = "2"
        with watching(stack.cloud.sqs, "SendMessage") as sent:
            FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})
        stack.cloud.sqs.delete_message(QueueUrl=stack.queue_url("ShareQueue"), ReceiptHandle=message["ReceiptHandle"])
        delays += [request["DelaySeconds"] for request in sent]
        _make_visible(stack)

    _deliver(stack, "EvaluateQueue", waited=LATE)
    _deliver(stack, "ShareQueue", waited=SOON)

    assert delays == [30, 60, 120, 240, 480, 900, 900, 900, 900, 900]
    assert _outcomes(stack) == {"tiny": [Outcome.SCORED]}


@pytest.mark.parametrize("throttles", [0, 7])
def test_result_that_ends_its_process_becomes_a_dead_letter(stack: StackHarness, throttles: int) -> None:
    """After twelve receives without an answer it goes round no more; the count of its throttles stays until then."""
    key = _put(stack, "tiny")
    sender = ShareQueue(Queue(stack.cloud.messages, stack.queue_url("ShareQueue")), stack.results_bucket, slots=1)
    bodies = []
    for unanswered in (sharing.MAX_UNANSWERED - 2, sharing.MAX_UNANSWERED - 1):
        sender.send(key, TryCounts(2, throttles, unanswered), cause=f"test-{unanswered}")
        (message,) = _receive(stack, "ShareQueue")
        message["Attributes"]["ApproximateReceiveCount"] = "2"
        with watching(stack.cloud.sqs, "SendMessage") as sent:
            FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})
        stack.cloud.sqs.delete_message(QueueUrl=stack.queue_url("ShareQueue"), ReceiptHandle=message["ReceiptHandle"])
        bodies += [json.loads(request["MessageBody"]) for request in sent]

    (dead,) = _receive(stack, "EvaluateDeadLetterQueue")
    assert bodies[0].get("throttles", 0) == throttles
    assert json.loads(dead["Body"])["unanswered"] == sharing.MAX_UNANSWERED


@pytest.mark.parametrize("receives", [2, 6])
def test_retried_result_is_tried_in_its_share(stack: StackHarness, receives: int) -> None:
    """A result over which a process may have died goes to its share, with one try however often it was received."""
    _put(stack, "tiny")
    (message,) = _receive(stack, "EvaluateQueue")
    message["Attributes"]["ApproximateReceiveCount"] = str(receives)

    FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})

    (handed_on,) = _receive(stack, "ShareQueue")
    assert _outcomes(stack) == {}
    assert json.loads(handed_on["Body"])["tries"] == 1


def test_result_that_cannot_be_handed_on_is_retried(stack: StackHarness) -> None:
    """Where the share queue does not answer, the message fails and is retried: nothing is lost."""
    _put(stack, "coins")
    (message,) = _receive(stack, "EvaluateQueue")

    with failing(stack.cloud.sqs, "SendMessage"):
        answer = FUNCTION.invoke({"Records": [_make_record(message, waited=SOON)]})

    assert answer["batchItemFailures"] == [{"itemIdentifier": message["MessageId"]}]


def _put(stack: StackHarness, benchmark_id: str, result: Mapping[str, Any] = GOOD) -> ResultKey:
    key = ResultKey(benchmark_id, make_submission_id(START, os.urandom(10)))
    submission = make_submission(id=key.submission, benchmark=benchmark_id, player=PLAYER)
    stack.submissions.put_result(submission, json.dumps(result).encode())
    return key


def _receive(stack: StackHarness, name: str) -> list[Any]:
    """Receive every message that SQS hands out, one at a time, and delete none; S3's test events are left out."""
    messages: list[Any] = []
    while received := stack.cloud.sqs.receive_message(
        QueueUrl=stack.queue_url(name), MaxNumberOfMessages=1, MessageSystemAttributeNames=["All"]
    ).get("Messages"):
        messages += [message for message in received if "s3:TestEvent" not in message["Body"]]
    return messages


def _deliver(stack: StackHarness, name: str, *, waited: timedelta) -> None:
    """Have every message handled that SQS hands out now, and delete those that did not fail."""
    for message in _receive(stack, name):
        function = SCRIPTS if name == "ScriptQueue" else FUNCTION
        answer = function.invoke({"Records": [_make_record(message, waited=waited)]})
        if not answer["batchItemFailures"]:
            stack.cloud.sqs.delete_message(QueueUrl=stack.queue_url(name), ReceiptHandle=message["ReceiptHandle"])


@contextmanager
def _sandbox() -> Iterator[list[Mapping[str, Any]]]:
    """Answer each run as the sandbox function does; yield the requests."""
    events, runs = clients.gateway().functions.client.meta.events, []

    def answer(params: Mapping[str, Any], **_: Any) -> tuple[Any, dict[str, Any]]:
        runs.append(params)
        return AWSResponse(params["url"], 200, HTTPHeaders(), None), answer_invocation(params)

    events.register("before-call.lambda.Invoke", answer)
    yield runs
    events.unregister("before-call.lambda.Invoke", answer)


@contextmanager
def _throttled() -> Iterator[None]:
    """Let Lambda have no room for a sandbox, and nobody wait for it."""
    with (
        pytest.MonkeyPatch.context() as patch,
        failing(clients.gateway().functions, "Invoke", code="TooManyRequestsException", status=429),
    ):
        patch.setattr(client, "BACKOFF_SECONDS", ())
        yield


def _make_visible(stack: StackHarness) -> None:
    """Let the delay of every message of the evaluate queue be over."""
    look_inside().make_visible(stack.template.resources["EvaluateQueue"].name)


def _make_record(message: Any, *, waited: timedelta) -> dict[str, Any]:
    sent = utc_now() - waited
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": {**message["Attributes"], "SentTimestamp": str(int(sent.timestamp() * 1000))},
        "messageAttributes": {},
        "md5OfBody": "0" * 32,
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:queue",
        "awsRegion": "us-east-1",
    }


def _outcomes(stack: StackHarness) -> dict[str, list[Outcome]]:
    outcomes: dict[str, list[Outcome]] = {}
    for key in stack.results():
        _, benchmark_id, _, submission = key.split("/")
        version = stack.aggregator.benchmarks.current(benchmark_id).version
        record = stack.submissions.find_record(benchmark_id, submission=submission, version=version)
        if record is not None:
            outcomes.setdefault(benchmark_id, []).append(record.outcome)
    return outcomes
