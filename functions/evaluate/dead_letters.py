"""Records results that could not be scored, so that none is left without an outcome."""

from dataclasses import dataclass

from scoring_core.outcome import Outcome
from storage.benchmarks.store import BenchmarkStore
from storage.gateway.errors import NotFound
from storage.keys import Clock, ResultKey
from storage.submissions.models import NO_VERSION, SubmissionRecord
from storage.submissions.store import SubmissionStore


@dataclass(frozen=True, slots=True)
class DeadLetterRecorder:
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
        versions = self._versions(key.benchmark)
        records = [
            SubmissionRecord(
                submission=submission,
                version=version,
                outcome=Outcome.INTERNAL_ERROR,
                signature="",
                recorded_at=self.clock().isoformat(),
                message="internal error: all retries failed",
                rescored=rescored,
            )
            for version, rescored in versions.items()
        ]
        return [record for record in records if self.submissions.put_record(record)]

    def _versions(self, benchmark: str) -> dict[str, bool]:
        """Return the versions that the platform scores, and whether each is the next.

        What waits for the owner's runner is not lost: the sweep queues it again.
        """
        try:
            published = self.benchmarks.current(benchmark, fresh=True)
        except NotFound:
            return {NO_VERSION: False}
        scored = [each for each in published.active_versions if not each.definition.runs_own]
        return {each.version: each.version != published.version for each in scored}
