"""Puts results on the queue again that have no outcome, because a notice was lost: an S3 event is a hint."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import batched

from scoring_core.outcome import Outcome
from storage.access.flags import FlagStore, swept
from storage.aws.errors import NotFound
from storage.benchmarks.rescores import is_result
from storage.benchmarks.store import BenchmarkStore
from storage.ids import Clock, time_of
from storage.keys import ResultKey
from storage.submissions.index import ResultIndex
from storage.submissions.queues import BATCH, EvaluateQueue
from storage.submissions.store import SubmissionStore

AT_MOST_EVERY = timedelta(hours=20)
"""Less than a day: what a sweep has queued in vain within the first hours, that of the next day queues again."""


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Finds what was left without an outcome.

    Args:
        benchmarks: Which versions count.
        results: What is there, and what has an outcome.
        submissions: Tells results from foreign objects.
        notices: The evaluate queue.
        markers: What was swept within the last day.
        clock: The time.
        age: Younger results are left alone: their notice may still be under way.
    """

    benchmarks: BenchmarkStore
    results: ResultIndex
    submissions: SubmissionStore
    notices: EvaluateQueue
    markers: FlagStore
    clock: Clock
    age: timedelta

    def sweep(self, benchmark: str, *, window: timedelta) -> int:
        """Queue the results of a window that lack an outcome, each but once in AT_MOST_EVERY; give how many.

        Args:
            benchmark: The benchmark's id.
            window: How far back; what is older is not read.
        """
        now, queued = self.clock(), 0
        for batch in batched(self._list_lacking(benchmark, window=window), BATCH, strict=False):
            # Marked first: a crash between the two costs a day for these few, the other way round a run each time.
            marked = [key for key in batch if self.markers.mark(swept(key), now=now, keep=AT_MOST_EVERY)]
            queued += sum(self.notices.send(key for key in marked if is_result(self.submissions, key)))
        return queued

    def find_lost(self, benchmark: str, *, window: timedelta) -> Iterator[ResultKey]:
        """Find the results of a window that lack an outcome under the current version or the next."""
        return (key for key in self._list_lacking(benchmark, window=window) if is_result(self.submissions, key))

    def find_failed(self, benchmark: str) -> list[ResultKey]:
        """Find all results that ended as `internal_error` under the current version or the next."""
        versions = self._versions(benchmark)
        failed = {
            one.submission: ResultKey(benchmark, one.submission)
            for one in self.results.list_recorded(benchmark)
            if one.version in versions and one.outcome is Outcome.INTERNAL_ERROR
        }
        return list(failed.values())

    def _list_lacking(self, benchmark: str, *, window: timedelta) -> list[ResultKey]:
        """List, with the foreign objects among them, what is old enough and lacks an outcome."""
        now = self.clock()
        lacking = self.results.list_lacking(benchmark, versions=self._versions(benchmark), since=now - window)
        return [key for key in lacking if time_of(key.submission) <= now - self.age]

    def _versions(self, benchmark: str) -> list[str]:
        try:
            return [one.version for one in self.benchmarks.current(benchmark, fresh=True).scored_under]
        except NotFound:  # published right now: the bundle is there before the pointer is
            return []
