"""Holds every benchmark to its share of the evaluators.

The notices of S3 name no message group, so one queue of them cannot be shared fairly: the results of one benchmark that
take long, or come by the thousand, would stand before those of all others. So the evaluate queue scores at once only
what is quick and has not waited, and tries it once. Everything else is handed on to a FIFO queue, where each benchmark
has a few message groups: SQS never hands out two messages of a group at the same time.

    evaluate queue (S3's notices) ──► quick, first try, nobody waits: score
                                 └──► everything else: hand on ──► share queue (benchmark × slot) ──► score
                   later, counted ◄───────────────────────────── failed, or its process died

A message that is retried would hold up its group meanwhile. So the share queue tries each message once; what fails goes
back to the evaluate queue with a delay and a count, is handed on again when its time has come, and ends among the dead
letters after six tries. Only the first try of what looks quick takes place outside of its benchmark's share.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluate.notices import ResultNotice
from storage.benchmarks.store import PublishedBenchmark
from storage.submissions.queues import EvaluateQueue, ShareQueue

WAIT_LIMIT = timedelta(seconds=10)
"""A first delivery that waited longer tells of a backlog: of whose results, only the share queue can sort out."""

MAX_TRIES = 6
"""As many as the evaluate queue receives a message."""

MAX_DELAY_SECONDS = 900
"""SQS delays a message by no more."""

SCRIPT = "script"


@dataclass(frozen=True, slots=True)
class Sharing:
    """Decides which results are handed on, and what becomes of those that fail.

    Args:
        share_queue: The FIFO queue.
        evaluate_queue: The queue of S3's notices.
        dead_letter_queue: The queue of what was tried too often.
        base_seconds: What failed for the n-th time comes back after base_seconds × 2ⁿ⁻¹.
    """

    share_queue: ShareQueue
    evaluate_queue: EvaluateQueue
    dead_letter_queue: EvaluateQueue
    base_seconds: int

    def must_hand_on(self, notice: ResultNotice, published: PublishedBenchmark, *, waited: timedelta) -> bool:
        """Return whether a notice of the evaluate queue belongs into the share queue.

        Args:
            notice: What the message announces.
            published: The benchmark of the result.
            waited: Since the message was sent.
        """
        has_script = any(version.definition.scorer == SCRIPT for version in published.scored_under)
        return has_script or notice.tries > 0 or waited > WAIT_LIMIT

    def hand_on(self, notice: ResultNotice, *, message: str) -> None:
        """Send a result to the share queue in the place of a message of the evaluate queue."""
        self.share_queue.send(notice.key, tries=notice.tries, cause=message)

    def hand_back(self, notice: ResultNotice) -> None:
        """Let a result that failed in its share come back later, or not at all, so that its group goes on."""
        tries = notice.tries + 1
        if tries >= MAX_TRIES:
            self.dead_letter_queue.send_retry(notice.key, tries=tries)
        else:
            delay = min(self.base_seconds * 2 ** (tries - 1), MAX_DELAY_SECONDS)
            self.evaluate_queue.send_retry(notice.key, tries=tries, delay_seconds=delay)


def waited_since(sent_milliseconds: str, *, now: datetime) -> timedelta:
    """Return how long a message has waited, never less than nothing: SQS has a clock of its own."""
    sent = datetime.fromtimestamp(int(sent_milliseconds) / 1000, tz=now.tzinfo)
    return max(timedelta(), now - sent)
