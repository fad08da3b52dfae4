"""Lists what was not scored on a benchmark, by the index that holds only such records."""

from typing import Any

from ledger.errors import translated
from ledger.submission_store import MAX_READS, Page, SubmissionStore
from ledger.submissions import Record
from scoring_core.outcome import Outcome

BY_FAILURE = "by_failure"


def find_failures(
    submissions: SubmissionStore, benchmark: str, *, outcome: Outcome | None, before: str | None, length: int
) -> Page:
    """Read a page of the records without a score, newest first, whole, a moment behind what was recorded.

    Args:
        submissions: The store of the records.
        benchmark: The benchmark's id.
        outcome: Only records of this outcome; None: of every outcome but `scored`.
        before: Only records behind this `position`.
        length: How many records at most; fewer where very many of other outcomes lie between.
    """
    records: list[Record] = []
    for _ in range(MAX_READS):
        items, more = _query(submissions, benchmark, before=before, limit=length + 1)
        for item in items:
            record = _read(submissions, benchmark, item) if outcome in {None, item["outcome"]["S"]} else None
            if record is not None:
                if len(records) == length:
                    return Page(tuple(records), before)
                records.append(record)
            before = item["submission_version"]["S"]
        if not more:
            return Page(tuple(records), None)
    return Page(tuple(records), before)


def _read(submissions: SubmissionStore, benchmark: str, item: dict[str, Any]) -> Record | None:
    """Read the record that an item of the index names; None where it was scored since."""
    submission, _, version = item["submission_version"]["S"].partition("#")
    record = submissions.find_record(benchmark, submission=submission, version=version, detailed=True)
    return record if record is not None and record.outcome == item["outcome"]["S"] else None


def _query(
    submissions: SubmissionStore, benchmark: str, *, before: str | None, limit: int
) -> tuple[list[dict[str, Any]], bool]:
    condition, values = "failed_benchmark = :benchmark", {":benchmark": {"S": benchmark}}
    if before is not None:
        condition, values = f"{condition} AND submission_version < :before", {**values, ":before": {"S": before}}
    with translated(f"read the errors of {benchmark}"):
        answer = submissions.dynamodb.query(
            TableName=submissions.table,
            IndexName=BY_FAILURE,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ScanIndexForward=False,
            Limit=limit,
        )
    return answer["Items"], "LastEvaluatedKey" in answer
