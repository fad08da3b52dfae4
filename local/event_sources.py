"""Event sources: what pollers do for SQS queues, DynamoDB streams and schedules, as the template maps them."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus

from botocore.exceptions import ClientError

from local.aws import Cloud
from local.functions import Function, FunctionError, count_workers
from local.intrinsics import REGION
from local.schedules import SchedulePoller, list_schedules
from local.template import Properties, Template

POLL_SECONDS = 0.05
LONG_POLL_SECONDS = 1
"""How long a queue is asked to wait for a message, as Lambda's pollers ask it; stopping takes as long."""
IDLE_POLL_SECONDS = 1.0
LIVELY_SECONDS = 5.0
MAX_STREAM_BACKOFF_SECONDS = 5.0


class Pace:
    """How long those wait that have found nothing: hardly at all while something is going on, long where nothing is."""

    def __init__(self) -> None:
        self._stirred = threading.Condition()
        self._lively_until = 0.0

    def stir(self) -> None:
        """Tell that something is going on; who waits long looks at once."""
        with self._stirred:
            if time.monotonic() > self._lively_until:
                self._stirred.notify_all()
            self._lively_until = time.monotonic() + LIVELY_SECONDS

    def wait(self) -> None:
        """Wait until it is time to look again."""
        with self._stirred:
            is_lively = time.monotonic() <= self._lively_until
            self._stirred.wait(POLL_SECONDS if is_lively else IDLE_POLL_SECONDS)


@dataclass
class Source:
    """A thread that polls until it is told to stop."""

    name: str
    poll: Callable[[], bool]
    on_error: Callable[[str], None]
    pace: Pace
    patient: bool = False
    """Whether `poll` itself waits for something to do."""
    stop: threading.Event = field(default_factory=threading.Event, init=False)
    thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """Begin to poll."""
        self.thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while not self.stop.is_set():
            try:
                busy = self.poll()
            except Exception as error:  # noqa: BLE001  # a poller outlives whatever one poll meets, and says so
                if self.stop.is_set():
                    return
                self.on_error(f"{self.name}: {error!r}")
                self.pace.wait()
                continue
            if busy:
                self.pace.stir()
            elif not self.patient and not self.stop.is_set():
                self.pace.wait()


def stop_sources(sources: Sequence[Source]) -> None:
    """Stop polling everywhere, and wait until what is under way has ended."""
    for source in sources:
        source.stop.set()
        source.pace.stir()
    for source in sources:
        if source.thread:
            source.thread.join(timeout=10)


def make_sources(
    template: Template, cloud: Cloud, functions: dict[str, Function], *, pace: Pace, on_error: Callable[[str], None]
) -> list[Source]:
    """Give a source for every event source mapping and every schedule of the template, not yet started."""
    sources = []
    for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values():
        arn = mapping["EventSourceArn"]
        function = functions[template.logical_id_of(mapping["FunctionName"])]
        if ":sqs:" in arn:
            queue_name = arn.rsplit(":", 1)[1]
            url = cloud.sqs.get_queue_url(QueueName=queue_name)["QueueUrl"]
            poller: QueuePoller | StreamPoller = QueuePoller(cloud, function, mapping, url, on_error)
        else:
            table = template.resources[template.logical_id_of(arn)].name
            poller = StreamPoller(cloud, function, mapping, table, on_error)
        name = f"{arn.rsplit(':', 1)[1]} → {function.logical_id}"
        sources.append(Source(name, poller.poll, on_error, pace, patient=isinstance(poller, QueuePoller)))
    for schedule in list_schedules(template):
        if schedule.function in functions:
            caller = SchedulePoller(schedule, functions[schedule.function], on_error)
            sources.append(Source(f"{schedule.rule} → {schedule.function}", caller.poll, on_error, pace))
    return sources


@dataclass
class QueuePoller:
    """Hands messages of a queue to a function and deletes those that did not fail."""

    cloud: Cloud
    function: Function
    mapping: Properties
    url: str
    on_error: Callable[[str], None]

    def __post_init__(self) -> None:
        """Handle as many batches at once as this queue's mapping allows: a function's other queues have their own."""
        workers = count_workers(self.mapping)
        self._free = threading.Semaphore(workers)
        self._pool = ThreadPoolExecutor(workers)

    def poll(self) -> bool:
        """Wait a moment for a free worker and a batch; tell whether there was one."""
        if not self._free.acquire(timeout=LONG_POLL_SECONDS):
            return False
        messages = self._receive(wait_seconds=LONG_POLL_SECONDS)
        if not messages:
            self._free.release()
            return False
        self._pool.submit(self._handle, messages)
        return True

    def _receive(self, *, wait_seconds: int = 0) -> list[Any]:
        return self.cloud.sqs.receive_message(
            QueueUrl=self.url,
            WaitTimeSeconds=wait_seconds,
            MaxNumberOfMessages=min(self.mapping["BatchSize"], 10),
            MessageSystemAttributeNames=["All"],
        ).get("Messages", [])

    def _handle(self, messages: list[Any]) -> None:
        try:
            answer = self.function.invoke({"Records": [self._record(one) for one in messages]})
            failed = {one["itemIdentifier"] for one in answer["batchItemFailures"]}
            for message in messages:
                if message["MessageId"] not in failed:
                    self.cloud.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])
        except Exception as error:  # noqa: BLE001  # whatever it is, the messages come back when their visibility ends
            self.on_error(f"{self.function.logical_id}: {error!r}")
        finally:
            self._free.release()

    def _record(self, message: Any) -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": _complete_notice(message["Body"], self.cloud),
            "attributes": message["Attributes"],
            "messageAttributes": {},
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": self.mapping["EventSourceArn"],
            "awsRegion": REGION,
        }


def _complete_notice(body: str, cloud: Cloud) -> str:
    """Add what S3 puts into its notifications and moto leaves out: sequencer and version id."""
    notice = json.loads(body)
    for record in notice.get("Records", []):
        if "eTag" in record.get("s3", {}).get(
            "object", {}
        ):  # what is queued again by us or by hand names the key alone
            record["s3"]["object"].setdefault("sequencer", f"{time.time_ns():016X}")
            record["s3"]["object"].setdefault("versionId", _find_version(record["s3"], cloud))
    return json.dumps(notice)


def _find_version(told: dict[str, Any], cloud: Cloud) -> str:
    """Give the version that a notice is about: the present one, or the latest of those that it replaced."""
    bucket, key, etag = told["bucket"]["name"], unquote_plus(told["object"]["key"]), told["object"]["eTag"]
    try:
        found = cloud.s3.head_object(Bucket=bucket, Key=key)
    except ClientError:
        return "deleted"
    if found["ETag"].strip('"') == etag:
        return found["VersionId"]
    versions = cloud.s3.list_object_versions(Bucket=bucket, Prefix=key).get("Versions", [])
    return next((one["VersionId"] for one in versions if one["ETag"].strip('"') == etag), "deleted")


@dataclass
class StreamPoller:
    """Hands the records of a table's stream to a function, in order, and goes back to the first that failed."""

    cloud: Cloud
    function: Function
    mapping: Properties
    table: str
    on_error: Callable[[str], None]
    _iterator: str | None = field(default=None, init=False)
    _pending: list[Any] = field(default_factory=list, init=False)
    _tries: int = field(default=0, init=False)

    def poll(self) -> bool:
        """Handle one batch if there is one; tell whether there was one."""
        if len(self._pending) < self.mapping["BatchSize"]:
            self._pending += self._read()
        if not self._pending:
            return False
        batch = self._pending[: self.mapping["BatchSize"]]
        failed = self._invoke(batch)
        if failed is None:
            self._pending, self._tries = self._pending[len(batch) :], 0
            return True
        position = next(i for i, one in enumerate(batch) if one["dynamodb"]["SequenceNumber"] == failed)
        self._tries = 1 if position else self._tries + 1
        self._pending = self._pending[position:]
        if self._tries > self.mapping["MaximumRetryAttempts"]:
            self.on_error(f"{self.function.logical_id}: record {failed} given up after {self._tries} tries")
            self._pending, self._tries = self._pending[1:], 0
        time.sleep(min(0.1 * 2**self._tries, MAX_STREAM_BACKOFF_SECONDS))
        return True

    def _invoke(self, batch: list[Any]) -> str | None:
        """Give the sequence number of the first record that failed; None where all went well."""
        try:
            answer = self.function.invoke({"Records": batch})
        except FunctionError as error:
            self.on_error(f"{self.function.logical_id}: {error}")
            return str(batch[0]["dynamodb"]["SequenceNumber"])
        failed = [one["itemIdentifier"] for one in answer["batchItemFailures"]]
        return min(failed, key=int, default=None)

    def _read(self) -> list[Any]:
        if self._iterator is None:
            self._iterator = self._open()
        answer = self.cloud.streams.get_records(ShardIterator=self._iterator, Limit=self.mapping["BatchSize"])
        self._iterator = answer.get("NextShardIterator")
        return [self._record(one) for one in answer["Records"]]

    def _open(self) -> str:
        arn = self.cloud.dynamodb.describe_table(TableName=self.table)["Table"]["LatestStreamArn"]
        shards = self.cloud.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        return self.cloud.streams.get_shard_iterator(
            StreamArn=arn, ShardId=shards[0]["ShardId"], ShardIteratorType=self.mapping["StartingPosition"]
        )["ShardIterator"]

    def _record(self, record: Any) -> dict[str, Any]:
        change = dict(record["dynamodb"])
        change.pop("ApproximateCreationDateTime", None)
        return {
            "eventID": record["eventID"],
            "eventName": record["eventName"],
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": REGION,
            "eventSourceARN": self.mapping["EventSourceArn"],
            "dynamodb": {**change, "ApproximateCreationDateTime": time.time()},
        }
