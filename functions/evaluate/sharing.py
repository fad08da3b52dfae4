"""Limits how many evaluators work for one benchmark at a time.

S3's messages name no message group, so a queue of them cannot be shared fairly: slow results, or thousands of one
benchmark's, would delay those of all others. The evaluate queue therefore scores only what is quick and has not waited,
and tries it once. Everything else goes to a FIFO queue in which each benchmark has a few message groups: SQS
never delivers two messages of a group at the same time.

    evaluate queue (S3's messages) ──► quick, first try, no backlog: score
                                  └──► everything else: hand on ──► share queue (benchmark × slot) ──► score
                   later, counted ◄────────────────────────────── failed, or its process died

A message that is retried in the share queue would block its group. The share queue therefore tries each message once. A
result that fails goes back to the evaluate queue with a delay and a count, is handed on again later, and goes to the
dead-letter queue after six tries. Only the first try of what looks quick takes place outside of its benchmark's share.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.aws.queue import backoff_seconds
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import ResultKey
from storage.submissions.queues import EvaluateQueue, ShareQueue

WAIT_LIMIT = timedelta(seconds=10)
"""A first delivery that waited longer shows a backlog; only the share queue shares it fairly among benchmarks."""

MAX_TRIES = 6
"""As many as the evaluate queue receives a message."""

MAX_DELAY_SECONDS = 900
"""The limit of SQS."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Decides which results are handed on, and what happens to those that fail.

    Args:
        share_queue: The FIFO queue.
        evaluate_queue: The queue of S3's messages.
        dead_letter_queue: The queue of results that failed too often.
        base_seconds: The delay after the first failure; it doubles with each.
    """

    share_queue: ShareQueue
    evaluate_queue: EvaluateQueue
    dead_letter_queue: EvaluateQueue
    base_seconds: int

    def must_hand_on(self, published: PublishedBenchmark, *, tries: int, waited: timedelta) -> bool:
        """Return whether a result that failed `tries` times belongs into the share queue."""
        has_script = any(version.definition.runs_script for version in published.active_versions)
        return has_script or tries > 0 or waited > WAIT_LIMIT

    def hand_on(self, key: ResultKey, *, tries: int, message: str) -> None:
        """Send a result to the share queue instead of scoring it now."""
        self.share_queue.send(key, tries=tries, cause=message)

    def hand_back(self, key: ResultKey, *, tries: int) -> None:
        """Send a failed result back for later, or to the dead letters: its group goes on."""
        tries += 1
        if tries >= MAX_TRIES:
            self.dead_letter_queue.send_retry(key, tries=tries)
        else:
            delay = backoff_seconds(self.base_seconds, tries=tries, most=MAX_DELAY_SECONDS)
            self.evaluate_queue.send_retry(key, tries=tries, delay_seconds=delay)


def waited_since(sent_milliseconds: str, *, now: datetime) -> timedelta:
    """Return how long a message has waited; zero if the clock of SQS is ahead."""
    sent = datetime.fromtimestamp(int(sent_milliseconds) / 1000, tz=now.tzinfo)
    return max(timedelta(), now - sent)
