"""What Lambda's pollers do for the queues and streams of the template, in threads or one delivery at a time."""

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from engine.cloud import Engine
from engine.store import Store
from local.functions import FunctionError, Invokable, count_workers
from local.intrinsics import ACCOUNT, REGION
from local.schedules import SchedulePoller, list_schedules
from local.template import Properties, Template
from local.work.dispatcher import OneAtATime, Source, Step, Work
from storage.gateway.bucket import Bucket
from storage.gateway.errors import Refused
from storage.gateway.queue import BATCH, ReceivedMessage

MAX_STREAM_BACKOFF_SECONDS = 5.0
MAX_REST_SECONDS = 1.0
"""A stream rests after each batch, at most so long: under load, fewer and larger batches cost less."""

type ErrorSink = Callable[[str], None]


def make_sources(
    template: Template, cloud: Engine, functions: Mapping[str, Invokable], *, on_error: ErrorSink
) -> list[Source]:
    """Return a source for every event source mapping and schedule."""
    sources: list[Source] = list(make_queue_pollers(template, cloud, functions, on_error=on_error, store=cloud.store))
    sources += [
        OneAtATime(poller.name, poller.is_behind, poller.poll, rest_seconds=MAX_REST_SECONDS)
        for poller in make_stream_pollers(template, cloud, functions, on_error=on_error, store=cloud.store)
    ]
    for schedule in list_schedules(template):
        if schedule.function in functions:
            caller = SchedulePoller(schedule, functions[schedule.function], on_error, store=cloud.store)
            sources.append(OneAtATime(caller.name, caller.is_due, caller.poll))
    return sources


def make_queue_pollers(
    template: Template,
    cloud: Engine,
    functions: Mapping[str, Invokable],
    *,
    on_error: ErrorSink,
    store: Store | None = None,
) -> "list[QueuePoller]":
    """Return a poller for each queue that one of these functions reads.

    With the store of the queues it deletes a batch of messages at once.
    """
    return [
        QueuePoller(cloud, function, mapping, queue, template.resources[queue].ref, on_error, store)
        for mapping, function, queue in _list_mappings(template, functions, ":sqs:")
    ]


def make_stream_pollers(
    template: Template,
    cloud: Engine,
    functions: Mapping[str, Invokable],
    *,
    on_error: ErrorSink,
    store: Store | None = None,
) -> "list[StreamPoller]":
    """Return a poller for each stream that one of these functions reads.

    Without a store each start of a poller reads all that the stream holds.
    """
    return [
        StreamPoller(cloud, function, mapping, template.resources[table].name, on_error, store)
        for mapping, function, table in _list_mappings(template, functions, ":dynamodb:")
    ]


def _list_mappings(
    template: Template, functions: Mapping[str, Invokable], kind: str
) -> Iterator[tuple[Properties, Invokable, str]]:
    """Yield each mapping to one of these functions, the function, what it reads."""
    for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values():
        function = functions.get(template.logical_id_of(mapping["FunctionName"]))
        if function is not None and kind in mapping["EventSourceArn"]:
            yield mapping, function, template.logical_id_of(mapping["EventSourceArn"])


@dataclass
class QueuePoller:
    """Delivers messages of a queue to a function, and deletes those that did not fail."""

    cloud: Engine
    function: Invokable
    mapping: Properties
    queue: str
    url: str
    on_error: ErrorSink
    store: Store | None = None

    def __post_init__(self) -> None:
        """Make places of its own, which no other queue of the function can take."""
        self.slots = threading.Semaphore(count_workers(self.mapping))

    @property
    def name(self) -> str:
        """Return what is read, and by which function."""
        return f"{self.queue} → {self.function.logical_id}"

    def take(self, work: Work) -> Step | None:
        """Return a batch to handle; None if there is none, or too many are being handled."""
        if self.url.rpartition("/")[2] not in work.queues or not self.slots.acquire(blocking=False):
            return None
        try:
            messages = self.receive()
        except BaseException:
            self.slots.release()
            raise
        if not messages:
            self.slots.release()
            return None
        return lambda: self._handle_one_of_many(messages)

    def deliver(self) -> bool:
        """Deliver one batch in this thread; return whether there was one."""
        messages = self.receive()
        if messages:
            self.handle(messages)
        return bool(messages)

    def receive(self, *, size: int | None = None) -> list[ReceivedMessage]:
        """Receive a batch of messages."""
        return self.cloud.messages.receive(self.url, most=size or min(self.mapping["BatchSize"], BATCH))

    def handle(self, messages: Sequence[ReceivedMessage]) -> None:
        """Invoke the function; SQS delivers messages that failed again."""
        try:
            answer = self.function.invoke(self.make_event(messages))
        except FunctionError as error:
            self.on_error(f"{self.function.logical_id}: {error!r}")
            return
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        with self.store.writing() if self.store else nullcontext():
            for message in messages:
                if message.id not in failed:
                    with suppress(Refused):  # its receipt has expired, so it comes again
                        self.cloud.messages.delete(self.url, message.receipt_handle)

    def make_event(self, messages: Sequence[ReceivedMessage]) -> dict[str, Any]:
        """Return the event that Lambda makes of these messages."""
        return {
            "Records": [
                {
                    "messageId": message.id,
                    "receiptHandle": message.receipt_handle,
                    "body": message.body,
                    "attributes": dict(message.attributes),
                    "eventSource": "aws:sqs",
                    "eventSourceARN": self.mapping["EventSourceArn"],
                    "awsRegion": REGION,
                }
                for message in messages
            ]
        }

    def _handle_one_of_many(self, messages: Sequence[ReceivedMessage]) -> bool:
        try:
            self.handle(messages)
        finally:
            self.slots.release()
        return True


@dataclass
class StreamPoller:
    """Delivers the records of a table's stream to a function in order, and repeats from the first that failed."""

    cloud: Engine
    function: Invokable
    mapping: Properties
    table: str
    on_error: ErrorSink
    store: Store | None = None
    _position: str | None = field(default=None, init=False)
    _tries: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Read the filter, and start where this reader was when the stack ended."""
        filters = self.mapping.get("FilterCriteria", {}).get("Filters", ())
        self._patterns = [json.loads(entry["Pattern"]) for entry in filters]
        if self.store:
            self._position = self.store.find_note(f"stream {self.name}")

    @property
    def name(self) -> str:
        """Return the name of the reader, the same in every run of the stack."""
        return f"{self.table} → {self.function.logical_id}"

    def is_behind(self, work: Work) -> bool:
        """Return whether the stream has records that are not delivered yet."""
        return work.records.get(self.table, 0) > int(self._position or 0)

    def poll(self) -> bool:
        """Deliver one batch; return whether there was one."""
        batch = self._read()
        if not batch:
            return False
        done = self.handle(batch)
        self._finish(batch[:done])
        if done == len(batch):
            self._tries = 0
            return True
        self._tries = 1 if done else self._tries + 1
        if self._tries > self.mapping["MaximumRetryAttempts"]:
            number = batch[done]["dynamodb"]["SequenceNumber"]
            self.on_error(f"{self.function.logical_id}: record {number} discarded after {self._tries} tries")
            self.discard([batch[done]])
            self._finish([batch[done]])
            self._tries = 0
        time.sleep(min(0.1 * 2**self._tries, MAX_STREAM_BACKOFF_SECONDS))
        return True

    def handle(self, batch: Sequence[Any]) -> int:
        """Invoke the function; return how many records come before a failed one."""
        taken = [record for record in batch if self._takes(record)]
        if not taken:
            return len(batch)
        try:
            answer = self.function.invoke({"Records": taken})
        except FunctionError as error:
            self.on_error(f"{self.function.logical_id}: {error}")
            return batch.index(taken[0])
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        return next((index for index, number in enumerate(numbers) if number in failed), len(batch))

    def _takes(self, record: Mapping[str, Any]) -> bool:
        """Return whether the filter lets a record through to the function."""
        return not self._patterns or any(_matches(pattern, record) for pattern in self._patterns)

    def discard(self, batch: Sequence[Any]) -> None:
        """Write a batch to the failure destination, a bucket, with what is read of it."""
        name = str(self.mapping["FunctionName"])
        now, shard = datetime.now(UTC), "shardId-00000000000000000000-local"
        discarded = {
            "requestContext": {"functionArn": f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}"},
            "payload": json.dumps({"Records": batch}),
        }
        bucket = self.mapping["DestinationConfig"]["OnFailure"]["Destination"].rpartition(":")[2]
        key = f"aws/lambda/{uuid.uuid5(uuid.NAMESPACE_DNS, name)}/{shard}/{now:%Y-%m-%dT%H.%M.%S}-{uuid.uuid4()}"
        Bucket(self.cloud.objects, bucket).overwrite(key, json.dumps(discarded).encode())

    def _finish(self, done: Sequence[Any]) -> None:
        """Go on behind records: no start of the stack needs them again."""
        if done:
            self._position = done[-1]["dynamodb"]["SequenceNumber"]
            if self.store:
                self.store.put_note(f"stream {self.name}", self._position)

    def _read(self) -> list[Any]:
        read = self.cloud.streams.read(self.table, after=self._position, length=self.mapping["BatchSize"])
        return [self._make_record(record) for record in read]

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


def _matches(pattern: Any, value: Any) -> bool:
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(_matches(inner, value.get(name)) for name, inner in pattern.items())
    if value is None:
        return False
    return any(value not in rule["anything-but"] if isinstance(rule, dict) else value == rule for rule in pattern)
