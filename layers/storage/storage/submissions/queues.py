"""The queues of results to score."""

import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from storage.gateway.queue import FifoPlace, Queue
from storage.gateway.s3_events import TryCounts, make_notice
from storage.keys import ResultKey


class EvaluateQueue(NamedTuple):
    """The evaluate queue, or its dead-letter queue; `bucket` is where raw results are."""

    queue: Queue
    bucket: str

    def send(self, keys: Iterable[ResultKey]) -> Iterator[int]:
        """Enqueue results as the iterator is consumed; yield batch sizes. Raises Busy."""
        return self.queue.send_all(make_notice(self.bucket, str(key), TryCounts()) for key in keys)

    def send_retry(self, key: ResultKey, counts: TryCounts, *, delay_seconds: int = 0) -> None:
        """Enqueue a result again after 0 to 900 s, with the number of failed tries."""
        self.queue.send(make_notice(self.bucket, str(key), counts), delay_seconds=delay_seconds)


class ShareQueue(NamedTuple):
    """The FIFO queue with message groups for each benchmark; SQS delivers one message of a group at a time.

    `slots` is how many groups a benchmark has, and so how many of its results are scored at the same time.
    """

    queue: Queue
    bucket: str
    slots: int

    def send(self, key: ResultKey, counts: TryCounts, *, cause: str) -> None:
        """Enqueue a result in a slot of its benchmark, with the number of failed tries.

        `cause` is the id of the message that this one replaces; SQS keeps one of those sent within five minutes.
        """
        slot = zlib.crc32(key.submission.encode()) % self.slots
        self.queue.send(
            make_notice(self.bucket, str(key), counts),
            place=FifoPlace(f"{key.benchmark}#{slot}", f"{cause}.{key.submission}"),
        )


def read_slot(group: str) -> int:
    """Return the slot of a message group.

    >>> read_slot("coin-run#3")
    3
    """
    return int(group.rpartition("#")[2])
