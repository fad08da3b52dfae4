"""Records results that were retried in vain, so that none is ever left without an outcome."""

from dataclasses import dataclass

from scoring_core.outcome import Outcome
from storage.aws.errors import NotFound
from storage.benchmarks.store import BenchmarkStore
from storage.ids import Clock
from storage.keys import ResultKey
from storage.submissions.models import NO_VERSION, SubmissionRecord
from storage.submissions.store import SubmissionStore


@dataclass(frozen=True, slots=True)
class DeadLetterRecorder:
    """Writes `internal_error`, the only outcome that a later success may replace."""

    submissions: SubmissionStore
    benchmarks: BenchmarkStore
    clock: Clock

    def bury(self, key: ResultKey) -> list[SubmissionRecord]:
        """Record, under each version that lacks an outcome, that we could not score a result.

        Returns:
            The records that were written; none where outcomes stood already, or where there is no such result.

        Raises:
            Foreign: What lies there is no raw result.
        """
        submission = self.submissions.find_submission(key)
        if submission is None:
            return []
        current, *following = self._versions(key.benchmark)
        records = [
            SubmissionRecord(
                submission=submission,
                version=version,
                outcome=Outcome.INTERNAL_ERROR,
                signature="",
                recorded_at=self.clock().isoformat(),
                message="internal error: retried in vain",
                rescored=version in following,
            )
            for version in (current, *following)
        ]
        return [record for record in records if self.submissions.put_record(record)]

    def _versions(self, benchmark: str) -> list[str]:
        try:
            published = self.benchmarks.current(benchmark, fresh=True)
        except NotFound:
            return [NO_VERSION]
        return [one.version for one in published.scored_under]
