"""Lists what was not scored on a benchmark, by the index that holds only such records."""

from scoring_core.outcome import Outcome
from storage.aws.queries import Item, Page, TableIndex, read_newest
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore

BY_FAILURE = TableIndex("by_failure", "failed_benchmark")


def find_failures(
    submissions: SubmissionStore, benchmark: str, *, outcome: Outcome | None, before: str | None, length: int
) -> Page[SubmissionRecord]:
    """Read a page of the records without a score, newest first, whole, a moment behind what was recorded.

    Args:
        submissions: The store of the records.
        benchmark: The benchmark's id.
        outcome: Only records of this outcome; None: of every outcome but `scored`.
        before: Only records behind this `position`.
        length: How many records at most; fewer where very many of other outcomes lie between.
    """

    def read(item: Item) -> SubmissionRecord | None:
        """Read the record that an item of the index names; None where it is not asked for, or was scored since."""
        found = item["outcome"]["S"]
        if outcome not in {None, found}:
            return None
        submission, _, version = item["submission_version"]["S"].partition("#")
        record = submissions.find_record(benchmark, submission=submission, version=version, detailed=True)
        return record if record is not None and record.outcome == found else None

    return read_newest(
        submissions.dynamodb,
        table=submissions.table,
        index=BY_FAILURE,
        value=benchmark,
        before=before,
        length=length,
        read=read,
    )
