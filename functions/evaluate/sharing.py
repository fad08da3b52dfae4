"""Holds every benchmark to its share of the evaluators.

The notices of S3 name no message group, so one queue of them cannot be shared fairly: the results of one benchmark that
take long, or come by the thousand, would stand before those of all others. So the evaluate queue scores at once only
what is quick, and what has not waited. Everything else is handed on to a FIFO queue, where each benchmark has a few
message groups: SQS never hands out two messages of a group at the same time.

    evaluate queue (S3's notices) ──► quick, and nobody waits: score
                                 └──► a script, or waited: hand on ──► share queue (benchmark × slot) ──► score
                        retry notice: score, with all retries ◄────────────── failed, or its process died

A message that fails would hold up its group until it is tried again. It goes back to the evaluate queue instead, which
tries it again ever later and has the dead letters.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluate.notices import ResultNotice
from ledger.benchmark_store import Published
from ledger.keys import ResultKey
from ledger.notice_queue import NoticeQueue, ShareQueue

WAIT_LIMIT = timedelta(seconds=10)
"""A first delivery that waited longer tells of a backlog: of whose results, only the share queue can sort out."""

SCRIPT = "script"


@dataclass(frozen=True, slots=True)
class Sharing:
    """Decides which results are handed on.

    Args:
        share_queue: The FIFO queue.
        evaluate_queue: The queue of S3's notices.
    """

    share_queue: ShareQueue
    evaluate_queue: NoticeQueue

    def must_hand_on(self, notice: ResultNotice, published: Published, *, receives: int, waited: timedelta) -> bool:
        """Return whether a notice of the evaluate queue belongs into the share queue.

        Args:
            notice: What the message announces; one that came back is scored where it is.
            published: The benchmark of the result.
            receives: How often the message was received, this time included.
            waited: Since it was sent.
        """
        if notice.is_retry:
            return False
        has_script = any(version.definition.scorer == SCRIPT for version in published.scored_under)
        return has_script or (receives == 1 and waited > WAIT_LIMIT)

    def hand_on(self, key: ResultKey, *, message: str) -> None:
        """Send a result to the share queue in the place of a message of the evaluate queue."""
        self.share_queue.send(key, cause=message)

    def hand_back(self, key: ResultKey) -> None:
        """Send a result that failed in its share to the evaluate queue, so that its group goes on."""
        self.evaluate_queue.send_retry(key)


def waited_since(sent_milliseconds: str, *, now: datetime) -> timedelta:
    """Return how long a message has waited, never less than nothing: SQS has a clock of its own."""
    sent = datetime.fromtimestamp(int(sent_milliseconds) / 1000, tz=now.tzinfo)
    return max(timedelta(), now - sent)
