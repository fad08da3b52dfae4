"""Puts results on the queues of evaluate, by notices of the form that S3 sends."""

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote_plus

from storage.aws.queue import Queue
from storage.aws.schema import Schema
from storage.keys import ResultKey


@dataclass(frozen=True, slots=True)
class EvaluateQueue:
    """The evaluate queue, seen by who puts something on it."""

    queue: Queue
    bucket: str

    def send(self, keys: Iterable[ResultKey]) -> Iterator[int]:
        """Send a notice for each of these results; gives, batch by batch, how many were sent.

        Nothing is sent before the iterator is consumed.

        Raises:
            Busy: The queue repeatedly rejected some of a batch.
        """
        return self.queue.send_all(make_notice(self.bucket, key) for key in keys)

    def send_retry(self, key: ResultKey, *, tries: int, delay_seconds: int = 0) -> None:
        """Send a notice of a result that could not be scored in its benchmark's share.

        Args:
            key: Of the result.
            tries: How often that was tried.
            delay_seconds: How long nobody receives it, at most 900.
        """
        self.queue.send(make_notice(self.bucket, key, tries=tries), DelaySeconds=delay_seconds)


@dataclass(frozen=True, slots=True)
class ShareQueue:
    """The FIFO queue in which each benchmark has its message groups; of a group SQS hands out one message at a time.

    Args:
        queue: The queue.
        bucket: Where raw results are.
        slots: How many groups a benchmark has, and so how many of its results are scored at the same time.
    """

    queue: Queue
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
        self.queue.send(
            make_notice(self.bucket, key, tries=tries),
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
    return json.dumps({"schema": Schema.NOTICE.number, **tried, "Records": [record]})
