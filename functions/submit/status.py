"""Tells what became of a submission, and where its player stands."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass

from ledger.benchmark_store import Published
from ledger.keys import ResultKey
from ledger.snapshot_store import SnapshotStore
from ledger.submission_id import is_submission_id
from ledger.submission_store import SubmissionStore
from ledger.submissions import Record, Submission
from scoring_core.judgement import Outcome
from submit.places import find_head, find_place
from submit.problems import not_found
from submit.views import Rank, SubmissionView, view_queued, view_record


@dataclass(frozen=True, slots=True)
class StatusDesk:
    """Answers for one submission."""

    submissions: SubmissionStore
    snapshots: SnapshotStore

    def find(self, published: Published, submission: str, headers: Mapping[str, str]) -> SubmissionView:
        """Give the status of a submission.

        Args:
            published: The benchmark.
            submission: Its id, from the path.
            headers: Names in lower case; the receipt is a bearer credential.

        Raises:
            Problem: 404, there is no such submission of this benchmark.
        """
        if not is_submission_id(submission):
            raise not_found("there is no such submission")
        record = self._find_record(published, submission)
        if record is None:
            waiting = self.submissions.find_submission(ResultKey(published.id, submission))
            if waiting is None:
                raise not_found("there is no such submission")
            return view_queued(waiting)
        rank = self._find_rank(record) if record.outcome is Outcome.SCORED else None
        return view_record(record, trusted=_holds_receipt(headers, record.submission), rank=rank)

    def _find_record(self, published: Published, submission: str) -> Record | None:
        """Give the record under the present version, else the latest under another one; with its long output."""
        version = published.version
        current = self.submissions.find_record(published.id, submission=submission, version=version, detailed=True)
        if current is not None:
            return current
        latest = self.submissions.find_latest_record(published.id, submission=submission)
        if latest is None:
            return None
        return self.submissions.find_record(published.id, submission=submission, version=latest.version, detailed=True)

    def _find_rank(self, record: Record) -> Rank | None:
        head = find_head(self.snapshots, record.submission.benchmark, version=record.version)
        if head is None:
            return None
        place = find_place(self.snapshots, head, record.submission.player.id)
        return Rank(place.rank if place else None, head.total)


def _holds_receipt(headers: Mapping[str, str], submission: Submission) -> bool:
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or submission.receipt_sha256 is None:
        return False
    given = hashlib.sha256(credential.strip().encode()).hexdigest()
    return hmac.compare_digest(given, submission.receipt_sha256)
