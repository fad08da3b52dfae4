"""What Lambda's pollers do for the queues and streams of the template, in threads or one delivery at a time."""

import json
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote_plus

from botocore.exceptions import ClientError

from local.aws import Cloud
from local.disk.items import StreamPositions
from local.disk.store import Disk
from local.functions import FunctionError, Invokable, count_workers
from local.intrinsics import ACCOUNT, REGION
from local.schedules import ScheduledCalls, SchedulePoller, list_schedules
from local.template import Properties, Template

POLL_SECONDS = 0.05
LONG_POLL_SECONDS = 1
"""How long a request waits for a message, as Lambda's pollers do. Stopping takes as long."""
IDLE_POLL_SECONDS = 1.0
ACTIVE_SECONDS = 5.0
MAX_STREAM_BACKOFF_SECONDS = 5.0

type ErrorSink = Callable[[str], None]


class PollInterval:
    """The pause between polls that found nothing: short while the stack is active, long while it is idle."""

    def __init__(self) -> None:
        self._woken = threading.Condition()
        self._active_until = 0.0

    def wake(self) -> None:
        """Report activity; pollers in a long pause poll at once."""
        with self._woken:
            if time.monotonic() > self._active_until:
                self._woken.notify_all()
            self._active_until = time.monotonic() + ACTIVE_SECONDS

    def wait(self) -> None:
        """Wait until the next poll is due."""
        with self._woken:
            is_active = time.monotonic() <= self._active_until
            self._woken.wait(POLL_SECONDS if is_active else IDLE_POLL_SECONDS)


@dataclass
class Source:
    """A thread that polls until it is stopped."""

    name: str
    poll: Callable[[], bool]
    on_error: ErrorSink
    interval: PollInterval
    waits_itself: bool = False
    """Whether `poll` itself waits for an event."""
    stop: threading.Event = field(default_factory=threading.Event, init=False)
    thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """Start polling."""
        self.thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while not self.stop.is_set():
            try:
                busy = self.poll()
            except Exception as error:  # noqa: BLE001  # no error may end a poller; each is reported
                if self.stop.is_set():
                    return
                self.on_error(f"{self.name}: {error!r}")
                self.interval.wait()
                continue
            if busy:
                self.interval.wake()
            elif not self.waits_itself and not self.stop.is_set():
                self.interval.wait()


def stop_sources(sources: Sequence[Source]) -> None:
    """Stop all sources, and wait until each has finished its current poll."""
    for source in sources:
        source.stop.set()
        source.interval.wake()
    for source in sources:
        if source.thread:
            source.thread.join(timeout=10)


def make_sources(
    template: Template,
    cloud: Cloud,
    functions: Mapping[str, Invokable],
    *,
    interval: PollInterval,
    on_error: ErrorSink,
    disk: Disk,
) -> list[Source]:
    """Return a source for every event source mapping and schedule, not started."""
    calls, positions = ScheduledCalls(disk), StreamPositions(disk)
    sources = [
        Source(
            f"{poller.queue} → {poller.function.logical_id}",
            poller.poll,
            on_error,
            interval,
            waits_itself=not poller.is_fifo,
        )
        for poller in make_queue_pollers(template, cloud, functions, on_error=on_error)
    ]
    sources += [
        Source(f"{poller.table} → {poller.function.logical_id}", poller.poll, on_error, interval)
        for poller in make_stream_pollers(template, cloud, functions, on_error=on_error, positions=positions)
    ]
    for schedule in list_schedules(template):
        if schedule.function in functions:
            caller = SchedulePoller(schedule, functions[schedule.function], on_error, calls=calls)
            sources.append(Source(f"{schedule.rule} → {schedule.function}", caller.poll, on_error, interval))
    return sources


def make_queue_pollers(
    template: Template, cloud: Cloud, functions: Mapping[str, Invokable], *, on_error: ErrorSink
) -> "list[QueuePoller]":
    """Return a poller for each queue that one of these functions reads."""
    pollers = []
    for mapping in _list_mappings(template, functions, ":sqs:"):
        queue = template.logical_id_of(mapping["EventSourceArn"])
        url = cloud.sqs.get_queue_url(QueueName=template.resources[queue].name)["QueueUrl"]
        function = functions[template.logical_id_of(mapping["FunctionName"])]
        pollers.append(QueuePoller(cloud, function, mapping, queue, url, on_error))
    return pollers


def make_stream_pollers(
    template: Template,
    cloud: Cloud,
    functions: Mapping[str, Invokable],
    *,
    on_error: ErrorSink,
    positions: StreamPositions | None = None,
) -> "list[StreamPoller]":
    """Return a poller for each stream that one of these functions reads.

    Without `positions` each start of a poller reads all that the stream holds.
    """
    pollers = []
    for mapping in _list_mappings(template, functions, ":dynamodb:"):
        table = template.resources[template.logical_id_of(mapping["EventSourceArn"])].name
        function = functions[template.logical_id_of(mapping["FunctionName"])]
        pollers.append(StreamPoller(cloud, function, mapping, table, on_error, positions))
    return pollers


def _list_mappings(template: Template, functions: Mapping[str, Invokable], kind: str) -> list[Properties]:
    return [
        mapping
        for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values()
        if kind in mapping["EventSourceArn"] and template.logical_id_of(mapping["FunctionName"]) in functions
    ]


@dataclass
class QueuePoller:
    """Delivers messages of a queue to a function, and deletes those that did not fail."""

    cloud: Cloud
    function: Invokable
    mapping: Properties
    queue: str
    url: str
    on_error: ErrorSink

    def __post_init__(self) -> None:
        """Make a pool of its own, which no other queue of the function can fill."""
        workers = count_workers(self.mapping)
        self._free = threading.Semaphore(workers)
        self._pool = ThreadPoolExecutor(workers)

    @property
    def is_fifo(self) -> bool:
        """Return whether messages of a group are delivered one after another."""
        return self.url.endswith(".fifo")

    def poll(self) -> bool:
        """Have one batch handled in a thread; return whether there was one."""
        if not self._free.acquire(timeout=LONG_POLL_SECONDS):
            return False
        # While a group is being handled, moto would look for its next message without a pause, and not see its end.
        messages = self.receive(wait_seconds=0 if self.is_fifo else LONG_POLL_SECONDS)
        if not messages:
            self._free.release()
            return False
        self._pool.submit(self._handle_in_pool, messages)
        return True

    def deliver(self) -> bool:
        """Deliver one batch in this thread; return whether there was one."""
        messages = self.receive()
        if messages:
            self.handle(messages)
        return bool(messages)

    def receive(self, *, size: int | None = None, wait_seconds: int = 0) -> list[Any]:
        """Receive a batch of messages."""
        return self.cloud.sqs.receive_message(
            QueueUrl=self.url,
            WaitTimeSeconds=wait_seconds,
            MaxNumberOfMessages=size or min(self.mapping["BatchSize"], 10),
            MessageSystemAttributeNames=["All"],
        ).get("Messages", [])

    def handle(self, messages: Sequence[Any]) -> None:
        """Invoke the function; SQS delivers messages that failed again."""
        try:
            answer = self.function.invoke(self.make_event(messages))
        except FunctionError as error:
            self.on_error(f"{self.function.logical_id}: {error!r}")
            return
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        for message in messages:
            if message["MessageId"] not in failed:
                self.cloud.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])

    def make_event(self, messages: Sequence[Any]) -> dict[str, Any]:
        """Return the event that Lambda makes of these messages."""
        return {
            "Records": [
                {
                    "messageId": message["MessageId"],
                    "receiptHandle": message["ReceiptHandle"],
                    "body": _complete_notification(message["Body"], self.cloud),
                    "attributes": message["Attributes"],
                    "messageAttributes": {},
                    "md5OfBody": message["MD5OfBody"],
                    "eventSource": "aws:sqs",
                    "eventSourceARN": self.mapping["EventSourceArn"],
                    "awsRegion": REGION,
                }
                for message in messages
            ]
        }

    def _handle_in_pool(self, messages: Sequence[Any]) -> None:
        try:
            self.handle(messages)
        except Exception as error:  # noqa: BLE001  # nothing reads the future; whatever failed is delivered again
            self.on_error(f"{self.function.logical_id}: {error!r}")
        finally:
            self._free.release()


def _complete_notification(body: str, cloud: Cloud) -> str:
    """Add the sequencer and version id that moto leaves out of notifications."""
    notification = json.loads(body)
    for record in notification.get("Records", []):
        if "eTag" in record.get("s3", {}).get("object", {}):  # a result that is queued again has only a key
            record["s3"]["object"].setdefault("sequencer", f"{time.time_ns():016X}")
            record["s3"]["object"].setdefault("versionId", _find_version(record["s3"], cloud))
    return json.dumps(notification)


def _find_version(notification: dict[str, Any], cloud: Cloud) -> str:
    """Return the version of the object in a notification."""
    bucket, etag = notification["bucket"]["name"], notification["object"]["eTag"]
    key = unquote_plus(notification["object"]["key"])
    try:
        current = cloud.s3.head_object(Bucket=bucket, Key=key)
    except ClientError:
        return "deleted"
    if current["ETag"].strip('"') == etag:
        return current["VersionId"]
    versions = cloud.s3.list_object_versions(Bucket=bucket, Prefix=key).get("Versions", [])
    return next((version["VersionId"] for version in versions if version["ETag"].strip('"') == etag), "deleted")


@dataclass
class StreamPoller:
    """Delivers the records of a table's stream to a function in order, and repeats from the first that failed."""

    cloud: Cloud
    function: Invokable
    mapping: Properties
    table: str
    on_error: ErrorSink
    positions: StreamPositions | None = None
    _position: str | None = field(default=None, init=False)
    _iterator: str | None = field(default=None, init=False)
    _pending: list[Any] = field(default_factory=list, init=False)
    _tries: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Start where this reader was when the stack ended."""
        if self.positions:
            self._position = self.positions.add(self.reader, self.table)

    @property
    def reader(self) -> str:
        """Return the name of the reader, the same in every run of the stack."""
        return f"{self.table} → {self.function.logical_id}"

    def poll(self) -> bool:
        """Deliver one batch; return whether there was one."""
        if len(self._pending) < self.mapping["BatchSize"]:
            self._pending += self._read()
        batch = self._pending[: self.mapping["BatchSize"]]
        if not batch:
            return False
        done = self.handle(batch)
        self._finish(done)
        if done == len(batch):
            self._tries = 0
            return True
        self._tries = 1 if done else self._tries + 1
        if self._tries > self.mapping["MaximumRetryAttempts"]:
            number = self._pending[0]["dynamodb"]["SequenceNumber"]
            self.on_error(f"{self.function.logical_id}: record {number} discarded after {self._tries} tries")
            self.discard(self._pending[:1], tries=self._tries)
            self._finish(1)
            self._tries = 0
        time.sleep(min(0.1 * 2**self._tries, MAX_STREAM_BACKOFF_SECONDS))
        return True

    def handle(self, batch: Sequence[Any]) -> int:
        """Invoke the function; return how many records come before a failed one."""
        try:
            answer = self.function.invoke({"Records": batch})
        except FunctionError as error:
            self.on_error(f"{self.function.logical_id}: {error}")
            return 0
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        return next((index for index, number in enumerate(numbers) if number in failed), len(batch))

    def discard(self, batch: Sequence[Any], *, tries: int) -> None:
        """Write a batch to the failure destination, a bucket, as Lambda does."""
        name = str(self.mapping["FunctionName"])
        now, shard = datetime.now(UTC), "shardId-00000000000000000000-local"
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        discarded = {
            "requestContext": {
                "requestId": str(uuid.uuid4()),
                "functionArn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}",
                "condition": "RetryAttemptsExhausted",
                "approximateInvokeCount": tries,
            },
            "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": None},
            "version": "1.0",
            "timestamp": f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03}Z",
            "DDBStreamBatchInfo": {
                "shardId": shard,
                "startSequenceNumber": numbers[0],
                "endSequenceNumber": numbers[-1],
                "batchSize": len(batch),
                "streamArn": self.mapping["EventSourceArn"],
            },
            "payload": json.dumps({"Records": batch}),
        }
        self.cloud.s3.put_object(
            Bucket=self.mapping["DestinationConfig"]["OnFailure"]["Destination"].rpartition(":")[2],
            Key=f"aws/lambda/{uuid.uuid5(uuid.NAMESPACE_DNS, name)}/{shard}/{now:%Y-%m-%dT%H.%M.%S}-{uuid.uuid4()}",
            Body=json.dumps(discarded).encode(),
        )

    def _finish(self, number: int) -> None:
        """Forget the first records that wait: no start of the stack needs them again."""
        done, self._pending = self._pending[:number], self._pending[number:]
        if self.positions and done:
            self.positions.advance(self.reader, self.table, done[-1]["dynamodb"]["SequenceNumber"])

    def _read(self) -> list[Any]:
        if self._iterator is None:
            self._iterator = self._open()
        answer = self.cloud.streams.get_records(ShardIterator=self._iterator, Limit=self.mapping["BatchSize"])
        self._iterator = answer.get("NextShardIterator")
        return [self._make_record(record) for record in answer["Records"]]

    def _open(self) -> str:
        arn = self.cloud.dynamodb.describe_table(TableName=self.table)["Table"]["LatestStreamArn"]
        shards = self.cloud.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        start: Any = {"ShardIteratorType": self.mapping["StartingPosition"]}
        if self._position:
            start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self._position}
        return self.cloud.streams.get_shard_iterator(StreamArn=arn, ShardId=shards[0]["ShardId"], **start)[
            "ShardIterator"
        ]

    def _make_record(self, record: Any) -> dict[str, Any]:
        return {
            "eventID": record["eventID"],
            "eventName": record["eventName"],
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": REGION,
            "eventSourceARN": self.mapping["EventSourceArn"],
            "dynamodb": {**record["dynamodb"], "ApproximateCreationDateTime": time.time()},
        }
