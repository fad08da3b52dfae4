"""Limits how many evaluators work for one benchmark at a time, and keeps scripts away from what is built in.

S3's messages name no message group, so a queue of them cannot be shared fairly: slow results, or thousands of one
benchmark's, would delay those of all others. The evaluate queue therefore scores only what is built in and has not
waited, and tries it once. Everything else goes to a FIFO queue in which each benchmark has a few message groups: SQS
never delivers two messages of a group at the same time. Scripts have a FIFO queue and a function of their own.

    evaluate queue (S3's messages) ──► built in, first try, no backlog: score
                                  ├──► built in: hand on ──► share queue (benchmark × slot) ──► score
                                  └──► script: hand on ────► script queue (benchmark × slot) ──► score in the sandbox
                   later, counted ◄────────────────────────── failed, or its process died

The evaluate queue is delivered in batches. One in which a message was received before is handed on as a whole, because
a result may have ended the process; so is what has waited behind a slow result.

A message that is retried in a FIFO queue would block its group, so each is tried there once. What failed goes back to
the evaluate queue with a delay and a count, and to the dead-letter queue after six tries. What could not be started,
and what had no answer, is counted apart: nobody can tell whether the second was tried.

If one active version runs a script and the other does not, the function of the current version is first and passes the
result on, so that there is one message of a result at any time.
docs/decisions/0027-scripts-have-a-queue-of-their-own.md has the argument.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from handlers.loops import count_receives
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.errors import StoreError
from storage.gateway.queue import ReceivedMessage, backoff_seconds
from storage.gateway.s3_events import InvalidMessage, TryCounts, read_notices
from storage.keys import ResultKey, parse_result_key
from storage.submissions.queues import EvaluateQueue, ShareQueue

WAIT_LIMIT = timedelta(seconds=10)
"""A first delivery that waited longer shows a backlog; only the share queue shares it fairly among benchmarks."""

SHORT_BYTES = 1_000_000
"""Results up to this size are in memory together. Scoring one of 20 MB takes more than half of the memory."""

MAX_TRIES = 6
"""As many as the evaluate queue receives a message."""

MAX_DELAY_SECONDS = 900
"""The limit of SQS."""


MAX_THROTTLES = 300
"""After three days without room for its script, a result counts as tried."""

MAX_UNANSWERED = 2 * MAX_TRIES
"""Receives without an answer, one after another: a result that ends its process ends twelve, in some three hours."""


@dataclass(slots=True)
class Sharing:
    """Decides which results are handed on, and to which FIFO queue."""

    share_queue: ShareQueue
    script_queue: ShareQueue
    _is_suspect: bool = field(default=False, init=False)

    def begin_batch(self, messages: Sequence[ReceivedMessage]) -> None:
        """Note whether a message was received before: a process may have died over it."""
        self._is_suspect = any(count_receives(message) > 1 for message in messages)

    def choose_queue(self, published: PublishedBenchmark, *, tries: int, waited: timedelta) -> ShareQueue | None:
        """Return where to hand on a result that failed `tries` times; None: score it now."""
        if published.runs_script:
            return self.script_queue
        return self.share_queue if self._is_suspect or tries > 0 or waited > WAIT_LIMIT else None


class Retries(NamedTuple):
    """Takes failed results out of a FIFO queue, so that their message groups go on.

    Args:
        evaluate_queue: The queue of S3's messages.
        dead_letter_queue: The queue of results that failed too often.
        base_seconds: The delay after the first failure; it doubles with each.
    """

    evaluate_queue: EvaluateQueue
    dead_letter_queue: EvaluateQueue
    base_seconds: int

    def hand_back(self, key: ResultKey, *, tries: int) -> None:
        """Send a failed result back for later, or to the dead letters."""
        tries += 1
        if tries >= MAX_TRIES:
            self.dead_letter_queue.send_retry(key, TryCounts(tries))
        else:
            self.evaluate_queue.send_retry(key, TryCounts(tries), delay_seconds=self._delay(tries))

    def postpone(self, key: ResultKey, counts: TryCounts) -> None:
        """Send a result back for later that could not be tried."""
        counts = TryCounts(counts.tries, counts.throttles + 1)
        if counts.throttles > MAX_THROTTLES:
            self.hand_back(key, tries=counts.tries)
        else:
            self.evaluate_queue.send_retry(key, counts, delay_seconds=self._delay(counts.throttles))

    def postpone_unanswered(self, key: ResultKey, counts: TryCounts) -> None:
        """Send a result back whose receive had no answer, or to the dead letters."""
        counts = counts._replace(unanswered=counts.unanswered + 1)
        if counts.unanswered >= MAX_UNANSWERED:
            self.dead_letter_queue.send_retry(key, counts._replace(throttles=0))
        else:
            self.evaluate_queue.send_retry(key, counts, delay_seconds=self._delay(counts.unanswered))

    def _delay(self, times: int) -> int:
        return backoff_seconds(self.base_seconds, tries=times, most=MAX_DELAY_SECONDS)


def list_short_results(messages: Iterable[ReceivedMessage]) -> Iterator[ResultKey]:
    """Return the results that messages are about, if S3 says that they are short."""
    for message in messages:
        with suppress(InvalidMessage, StoreError):  # the handler reads each message again, and reports it
            for notice in read_notices(message.body):
                key = parse_result_key(notice.key)
                if key is not None and notice.size_bytes is not None and notice.size_bytes <= SHORT_BYTES:
                    yield key


def waited_since(sent_milliseconds: str, *, now: datetime) -> timedelta:
    """Return how long a message has waited; zero if the clock of SQS is ahead."""
    sent = datetime.fromtimestamp(int(sent_milliseconds) / 1000, tz=now.tzinfo)
    return max(timedelta(), now - sent)
