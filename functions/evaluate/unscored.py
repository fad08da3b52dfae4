"""Leaves no result without an outcome: queues again what was lost, and records what could not be scored."""

from datetime import timedelta
from itertools import batched
from typing import NamedTuple

from scoring_core.benchmarks.terms import read_seconds
from scoring_core.outcome import Outcome, is_taken_over
from storage.benchmarks.operations import OperationRequest, OperationResult, OperationStore
from storage.benchmarks.rescores import is_result
from storage.benchmarks.store import BenchmarkStore
from storage.flags import FlagStore, sweep_flag
from storage.gateway.clients import run_at_once
from storage.gateway.errors import NotFound
from storage.gateway.queue import BATCH
from storage.keys import Clock, ResultKey, time_of
from storage.submissions.index import ResultIndex
from storage.submissions.large import tidy_parts
from storage.submissions.models import NO_VERSION, SubmissionRecord
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore
from storage.submissions.work import WorkStore

AT_MOST_EVERY = timedelta(hours=20)
"""Less than a day: the next daily sweep queues again what this one queued without success."""


class Sweeper(NamedTuple):
    """Finds results without an outcome.

    Args:
        results: The raw results, and which of them have outcomes.
        submissions: Distinguishes results from unknown objects.
        flags: What was swept within the last day.
        operations: The sweeps that administrators started.
        work: What waits for runners of owners, and needs no sweep.
        age: Younger results are skipped: their S3 event may still arrive.
    """

    benchmarks: BenchmarkStore
    results: ResultIndex
    submissions: SubmissionStore
    queue: EvaluateQueue
    flags: FlagStore
    operations: OperationStore
    work: WorkStore
    clock: Clock
    age: timedelta

    def sweep(self, benchmark: str, *, window: timedelta) -> int:
        """Queue unscored results again, each once in AT_MOST_EVERY; return how many.

        Args:
            benchmark: The benchmark's id.
            window: How far to look back.
        """
        now, queued = self.clock(), 0
        for batch in batched(self._list_unscored(benchmark, window=window), BATCH, strict=False):
            # Set the flags before queueing. A crash in between delays a batch by a day; the other order would score it
            # again on every crash.
            flagged = [key for key in batch if self.flags.set(sweep_flag(key), now=now, keep=AT_MOST_EVERY)]
            queued += sum(self.queue.send(key for key in flagged if is_result(self.submissions, key)))
        return queued

    def tidy_parts(self, benchmark: str) -> int:
        """Delete parts of results that are kept no longer; return of how many results."""
        try:
            kept = self.benchmarks.current(benchmark).definition.keep_results
        except NotFound:  # likewise
            return 0
        now, keep = self.clock(), kept and timedelta(seconds=read_seconds(kept) or 0)
        waiting = [ResultKey(benchmark, work.submission) for work in self.work.list_waiting(benchmark)] if keep else []
        submissions = run_at_once(self.submissions.find_submission, waiting)
        besides = {str(submission and submission.parts_folder) for submission in submissions}
        return tidy_parts(self.results.bucket, benchmark, now=now, keep=keep or None, besides=besides)

    def sweep_again(self, request: OperationRequest) -> OperationResult:
        """Queue results of every benchmark again, however often they were before."""
        queued, window = dict[str, int](), timedelta(hours=request.hours)
        for benchmark in self.benchmarks.list_ids():
            keys = self.find_failed(benchmark) if request.failed else self._list_unscored(benchmark, window=window)
            if number := sum(self.queue.send(key for key in keys if is_result(self.submissions, key))):
                queued[benchmark] = number
        return OperationResult(queued=queued)

    def find_failed(self, benchmark: str) -> list[ResultKey]:
        """Find all results that ended as `internal_error` in an active version."""
        versions = self._versions(benchmark)
        failed = {
            recorded.submission: ResultKey(benchmark, recorded.submission)
            for recorded in self.results.list_recorded(benchmark)
            if recorded.version in versions and recorded.outcome is Outcome.INTERNAL_ERROR
        }
        return list(failed.values())

    def _list_unscored(self, benchmark: str, *, window: timedelta) -> list[ResultKey]:
        """Return what is old enough and has no outcome, unknown objects among it."""
        now, versions = self.clock(), self._versions(benchmark)
        unscored = self.results.list_unscored(benchmark, versions=list(versions), since=now - window)
        waiting = self.work.tidy(benchmark, versions, now) if any(versions.values()) else set[str]()
        return [key for key in unscored if time_of(key.submission) <= now - self.age and key.submission not in waiting]

    def _versions(self, benchmark: str) -> dict[str, bool]:
        """Return the active versions, and of each whether its owner's runner scores it."""
        try:
            active = self.benchmarks.current(benchmark, fresh=True).active_versions
        except NotFound:  # being published right now: the bundle is written before the pointer
            return {}
        return {version.version: version.definition.runs_own for version in active}


class DeadLetterRecorder(NamedTuple):
    """Writes `internal_error`, the only outcome that a later success may replace."""

    submissions: SubmissionStore
    benchmarks: BenchmarkStore
    clock: Clock

    def record_failure(self, key: ResultKey) -> list[SubmissionRecord]:
        """Record `internal_error` under each version in which a result has no outcome.

        Return the records that were written; none if there are outcomes already, or no such result. Raises
        UnknownObject if the object is no raw result.
        """
        submission = self.submissions.find_submission(key)
        if submission is None:
            return []
        versions = self._versions(key)
        records = [
            SubmissionRecord(
                submission=submission,
                version=version,
                outcome=Outcome.INTERNAL_ERROR,
                signature="",
                recorded_at=self.clock().isoformat(),
                scores={},
                message="internal error: all retries failed",
                rescored=rescored,
            )
            for version, rescored in versions.items()
        ]
        return [record for record in records if self.submissions.put_record(record)]

    def _versions(self, key: ResultKey) -> dict[str, bool]:
        """Return where the platform scores a result: version → is it the next?

        What waits for the owner's runner is not lost, for the sweep queues it again; a row of an earlier board never
        waits for one.
        """
        try:
            published = self.benchmarks.current(key.benchmark, fresh=True)
        except NotFound:
            return {NO_VERSION: False}
        is_row = is_taken_over(key.submission)
        scored = [each for each in published.active_versions if is_row or not each.definition.runs_own]
        return {each.version: each.version != published.version for each in scored}
