"""Puts results on the queues of evaluate, by notices of the form that S3 sends."""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from storage.aws.errors import Busy, aws_errors
from storage.aws.schema import Schema
from storage.keys import ResultKey

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

BATCH = 10
MAX_TRIES = 5


@dataclass(frozen=True, slots=True)
class EvaluateQueue:
    """The evaluate queue, seen by who puts something on it."""

    sqs: "SQSClient"
    url: str
    bucket: str

    def send(self, keys: Iterable[ResultKey]) -> Iterator[int]:
        """Send a notice for each of these results; gives, batch by batch, how many were sent.

        Nothing is sent before the iterator is consumed.

        Raises:
            Busy: The queue would not take some of a batch, however often it was tried.
        """
        for batch in batched(keys, BATCH, strict=False):
            self._send_batch(batch)
            yield len(batch)

    def _send_batch(self, keys: Sequence[ResultKey]) -> None:
        left: dict[str, SendMessageBatchRequestEntryTypeDef] = {
            str(number): {"Id": str(number), "MessageBody": make_notice(self.bucket, key)}
            for number, key in enumerate(keys)
        }
        for _ in range(MAX_TRIES):
            with aws_errors("put results on the queue"):
                answer = self.sqs.send_message_batch(QueueUrl=self.url, Entries=list(left.values()))
            for sent in answer.get("Successful", ()):
                del left[sent["Id"]]
            if not left:
                return
        raise Busy(f"put results on the queue: {len(left)} of {len(keys)} not taken after {MAX_TRIES} tries")

    def send_retry(self, key: ResultKey, *, tries: int, delay_seconds: int = 0) -> None:
        """Send a notice of a result that could not be scored in its benchmark's share.

        Args:
            key: Of the result.
            tries: How often that was tried.
            delay_seconds: How long nobody receives it, at most 900.
        """
        body = make_notice(self.bucket, key, tries=tries)
        with aws_errors("put a result on the queue again"):
            self.sqs.send_message(QueueUrl=self.url, MessageBody=body, DelaySeconds=delay_seconds)


@dataclass(frozen=True, slots=True)
class ShareQueue:
    """The FIFO queue in which each benchmark has its message groups; of a group SQS hands out one message at a time.

    Args:
        sqs: The client.
        url: Of the queue.
        bucket: Where raw results are.
        slots: How many groups a benchmark has, and so how many of its results are scored at the same time.
    """

    sqs: "SQSClient"
    url: str
    bucket: str
    slots: int

    def send(self, key: ResultKey, *, tries: int, cause: str) -> None:
        """Send a notice of a result to a slot of its benchmark.

        Args:
            key: Of the result.
            tries: How often it was scored without success.
            cause: The id of the message that this one replaces: sent again within five minutes, SQS keeps one.
        """
        slot = zlib.crc32(key.submission.encode()) % self.slots
        with aws_errors("put a result on the queue of its benchmark's share"):
            self.sqs.send_message(
                QueueUrl=self.url,
                MessageBody=make_notice(self.bucket, key, tries=tries),
                MessageGroupId=f"{key.benchmark}#{slot}",
                MessageDeduplicationId=f"{cause}.{key.submission}",
            )


def make_notice(bucket: str, key: ResultKey, *, tries: int = 0) -> str:
    """Return the body of a message that announces a raw result, as S3 would."""
    record = {
        "eventSource": "aws:s3",
        "eventName": "ObjectCreated:Put",
        "s3": {"bucket": {"name": bucket}, "object": {"key": quote_plus(str(key), safe="/")}},
    }
    tried = {"tries": tries} if tries else {}
    return json.dumps({"schema": Schema.NOTICE.schema, **tried, "Records": [record]})
