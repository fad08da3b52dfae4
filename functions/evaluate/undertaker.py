"""Records results that were retried in vain, so that none is ever left without an outcome."""

from dataclasses import dataclass

from ledger.benchmark_store import BenchmarkStore
from ledger.errors import NotFound
from ledger.keys import ResultKey
from ledger.submission_id import Clock
from ledger.submission_store import SubmissionStore
from ledger.submissions import NO_VERSION, Record
from scoring_core.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Undertaker:
    """Writes `internal_error`, the only outcome that a later success may replace."""

    submissions: SubmissionStore
    benchmarks: BenchmarkStore
    clock: Clock

    def bury(self, key: ResultKey) -> list[Record]:
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
            Record(
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
