"""Batches that Lambda discards: the schedule of the reader that failed on them redelivers them, and nobody else's."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from aggregate import stream as aggregate_stream
from handlers import loops
from handlers.loops import BatchAnswer
from local import event_sources
from local.event_sources import StreamPoller
from local.intrinsics import ACCOUNT
from notify import stream as notify_stream
from scoring_core.outcome import Outcome
from storage.benchmarks.store import PublishedBenchmark
from storage.discarded import DiscardedBatches
from storage.gateway.bucket import Bucket
from storage.gateway.schema import Schema
from storage.submissions.models import SubmissionRecord
from tests.harness.factories import make_guest_record
from tests.harness.stack import InProcess, StackHarness, failing, make_stream_event

type Log = Callable[[], list[dict[str, Any]]]

AGGREGATE = InProcess(aggregate_stream.lambda_handler, "AggregateFunction")
NOTIFY = InProcess(notify_stream.lambda_handler, "NotifyFunction")
DISCARDED = "aws/lambda/"


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_sources, "MAX_STREAM_BACKOFF_SECONDS", 0.0)


@pytest.fixture
def records(stack: StackHarness, published: PublishedBenchmark) -> list[SubmissionRecord]:
    """Records in the table: two of Ada's, one of Bob's, and one that is invalid."""
    records = [
        make_guest_record(published, name, {"Coins": coins, "Time": 1.0}, number=coins)
        for name, coins in (("Ada", 1), ("Bob", 2), ("Ada", 3))
    ]
    failed = make_guest_record(published, "Cy", {}, number=4, outcome=Outcome.INVALID)
    verified = failed.submission._replace(player=failed.submission.player._replace(id="cy", verified=True))
    records.append(failed._replace(submission=verified))
    for record in records:
        stack.submissions.put_record(record)
    return records


def read_stream(stack: StackHarness, function: InProcess) -> StreamPoller:
    """Let a reader read its stream to the end, with as few retries as there can be."""
    poller = stack.stream_poller(function.handler, function=function.logical_id)
    poller.mapping = {**poller.mapping, "MaximumRetryAttempts": 0}
    while poller.poll():
        pass
    return poller


def call_schedule(function: InProcess) -> None:
    """Let the schedule call a reader."""
    assert function.invoke({}) == {"batchItemFailures": []}


@pytest.fixture
def discarded(stack: StackHarness, records: list[SubmissionRecord]) -> list[str]:
    """Every record, discarded by both readers during an outage of the tables that they write."""
    dynamodb = stack.cloud.dynamodb
    with failing(dynamodb, "PutItem"), failing(dynamodb, "TransactWriteItems"):
        read_stream(stack, AGGREGATE)
        read_stream(stack, NOTIFY)
    keys = stack.keys(stack.results_bucket, DISCARDED)
    # Every scored record of aggregate, the invalid one of notify.
    assert len(keys) == len(records)
    assert stack.rows().name == ()
    return keys


@pytest.mark.usefixtures("discarded")
def test_discarded_records_heal_their_boards(stack: StackHarness, records: list[SubmissionRecord]) -> None:
    """The board is what it would be without the outage, and the batches are gone; those of notify are not touched."""
    call_schedule(AGGREGATE)

    healed = stack.board()
    AGGREGATE.invoke(make_stream_event(records))
    assert stack.rows().name == ("Ada", "Bob")
    assert stack.board() == healed
    (left,) = stack.keys(stack.results_bucket, DISCARDED)
    assert stack.read_json(left)["requestContext"]["functionArn"].endswith(":laurel-local-notifyfunction")


@pytest.mark.usefixtures("discarded")
def test_discarded_record_is_mailed_about(stack: StackHarness) -> None:
    """The mail that an outage has lost waits again, once, however often the schedule calls."""
    call_schedule(NOTIFY)
    call_schedule(NOTIFY)

    (item,) = stack.items("MailTable")
    assert item["thread"]["S"] == "results#coins#invalid#cy#"
    assert len(stack.keys(stack.results_bucket, DISCARDED)) == 3


@pytest.mark.usefixtures("discarded")
def test_batch_that_fails_again_is_kept(stack: StackHarness, records: list[SubmissionRecord], log: Log) -> None:
    """A batch that fails again stays for the next time, and stops none of the others."""
    with failing(stack.cloud.dynamodb, "TransactWriteItems", about=records[1].submission.id):
        call_schedule(AGGREGATE)
    between = stack.rows().name

    call_schedule(AGGREGATE)

    assert (between, stack.rows().name) == (("Ada",), ("Ada", "Bob"))
    assert [line["level"] for line in log() if line["message"] == "discarded batch failed again"] == ["ERROR"]


def test_record_of_newer_code_waits_for_it(stack: StackHarness, discarded: list[str]) -> None:
    """A record in a schema that this release cannot read stays where it is; nothing is guessed."""
    newer = Schema.RECORD.newest + 1
    for key in discarded:
        document = stack.read_json(key)
        document["payload"] = document["payload"].replace('"schema": {"N": "1"}', f'"schema": {{"N": "{newer}"}}')
        stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=key, Body=json.dumps(document).encode())

    call_schedule(AGGREGATE)
    call_schedule(NOTIFY)

    assert stack.keys(stack.results_bucket, DISCARDED) == discarded
    assert stack.items("MailTable") == []


@pytest.mark.parametrize(
    "body",
    [
        "",
        '{"payload": "{"}',
        '{"payload": {"Records": []}, "requestContext": {"functionArn": "arn:aws:lambda"}}',
        '{"payload": {"Records": 1}, "requestContext": {"functionArn": "a:b:c:d:e:f:g"}}',
        "[" * 9000,
    ],
    ids=lambda body: body[:40],
)
def test_foreign_object_is_left(stack: StackHarness, log: Log, body: str) -> None:
    """What Lambda did not write is logged and left."""
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=f"{DISCARDED}x", Body=body.encode())

    call_schedule(AGGREGATE)

    assert stack.keys(stack.results_bucket, DISCARDED) == [f"{DISCARDED}x"]
    assert [line["message"] for line in log()] == ["object is no discarded batch"]


def test_batch_that_ends_its_reader_stops_no_other(stack: StackHarness, discarded: list[str]) -> None:
    """A batch whose records have not the shape of any is left, and the others are redelivered."""
    document = stack.read_json(discarded[0]) | {"payload": json.dumps({"Records": [{}]})}
    key = f"{DISCARDED}x"
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=key, Body=json.dumps(document).encode())

    call_schedule(AGGREGATE)
    call_schedule(NOTIFY)

    assert stack.keys(stack.results_bucket, DISCARDED) == [key]


def test_payload_may_be_an_object(stack: StackHarness, discarded: list[str]) -> None:
    """AWS documents the event as text, and an event that is not in quotes is read as well."""
    for key in discarded:
        document = stack.read_json(key)
        document["payload"] = json.loads(document["payload"])
        stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=key, Body=json.dumps(document).encode())

    call_schedule(AGGREGATE)

    assert stack.rows().name == ("Ada", "Bob")


@dataclass
class TimedContext:
    """The context of a function whose time passes only while it handles batches."""

    function_name: str
    left_seconds: float

    def get_remaining_time_in_millis(self) -> int:
        """Return the time until the timeout."""
        return int(self.left_seconds * 1000)


@pytest.mark.parametrize("function", ["AggregateFunction", "NotifyFunction"])
def test_replay_goes_on_as_long_as_there_is_time(stack: StackHarness, function: str) -> None:
    """A batch of ten seconds is begun until less than the reserve is left; the next call goes on with the others."""
    timeout = stack.template.resources[function].properties["Timeout"]
    begun, batches = [], DiscardedBatches(Bucket(stack.cloud.objects, stack.results_bucket))
    for number in range(40):
        document = {
            "requestContext": {"functionArn": f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:{function}"},
            "payload": {"Records": [number]},
        }
        key = f"{DISCARDED}mapping/shard/{number}"
        stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=key, Body=json.dumps(document).encode())

    def handle(event: dict[str, Any], context: Any) -> BatchAnswer:
        begun.append(context.get_remaining_time_in_millis())
        context.left_seconds -= 10
        return {"batchItemFailures": []}

    loops.redeliver_batches(batches, handle, cast("LambdaContext", TimedContext(function, timeout)))

    assert len(begun) == (timeout - loops.RESERVE_SECONDS) / 10 + 1 == 25
    assert len(stack.keys(stack.results_bucket, DISCARDED)) == 40 - len(begun)
    loops.redeliver_batches(batches, handle, cast("LambdaContext", TimedContext(function, timeout)))
    assert stack.keys(stack.results_bucket, DISCARDED) == []


def test_discarded_batch_is_stored_as_lambda_stores_it(stack: StackHarness, discarded: list[str]) -> None:
    """The key has mapping, shard and time; the document has the function and the whole event."""
    document = stack.read_json(discarded[0])

    assert [len(key.split("/")) for key in discarded] == [5] * len(discarded)
    assert document["requestContext"]["functionArn"].startswith(f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:laurel-")
    assert json.loads(document["payload"])["Records"][0]["eventSource"] == "aws:dynamodb"
