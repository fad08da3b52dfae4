"""Records results that were retried in vain, so that none is ever left without an outcome."""

from dataclasses import dataclass

from ledger.benchmark_store import BenchmarkStore
from ledger.errors import NotFound
from ledger.keys import ResultKey
from ledger.submission_id import Clock
from ledger.submission_store import SubmissionStore
from ledger.submissions import Record
from scoring_core.outcome import Outcome

NO_VERSION = "none"


@dataclass(frozen=True, slots=True)
class Undertaker:
    """Writes `internal_error`, the only outcome that a later success may replace."""

    submissions: SubmissionStore
    benchmarks: BenchmarkStore
    clock: Clock

    def bury(self, key: ResultKey) -> Record | None:
        """Record that we could not score a result.

        Returns:
            The record; None where an outcome stood already, or where there is no such result.
        """
        submission = self.submissions.find_submission(key)
        if submission is None:
            return None
        record = Record(
            submission=submission,
            version=self._version(key.benchmark),
            outcome=Outcome.INTERNAL_ERROR,
            signature="",
            recorded_at=self.clock().isoformat(),
            message="internal error: retried in vain",
        )
        return record if self.submissions.put_record(record) else None

    def _version(self, benchmark: str) -> str:
        try:
            return self.benchmarks.current(benchmark).version
        except NotFound:
            return NO_VERSION
