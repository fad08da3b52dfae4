"""Reports of batches: what became of each entry, one object a batch, written once all of it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from scoring_core.outcome import Outcome
from storage.aws.bucket import Bucket
from storage.aws.errors import retry_on_conflict
from storage.aws.models import FrozenModel, StoredModel
from storage.aws.schema import Schema
from storage.keys import report_key
from storage.submissions.models import APOLOGY, SubmissionRecord


class BatchState(StrEnum):
    """How the import of a batch ended."""

    RECEIVED = "received"
    """It was read to its end: each entry became a submission or was rejected."""
    QUARANTINED = "quarantined"
    """It was rejected as a whole: nothing of it is scored."""
    INTERNAL_ERROR = "internal_error"
    """The import failed. Submissions made before stay, and a later success replaces this report."""


class BatchEntry(FrozenModel):
    """An entry of a batch, which became a submission or was rejected with an error.

    Its name is `line 17` of a JSONL, the path in a ZIP, else the file's name, which also stands for the whole batch.
    """

    entry: str
    submission: str | None = None
    error: str | None = None


class BatchReport(StoredModel):
    """What became of the batch `drop`, in one version of its object; the entries are in its order."""

    kind = Schema.BATCH_REPORT

    drop: str
    benchmark: str
    player: str
    key: str
    version_id: str
    received_at: datetime
    state: BatchState
    entries: tuple[BatchEntry, ...]

    @property
    def refusals(self) -> tuple[BatchEntry, ...]:
        """The entries that were rejected."""
        return tuple(entry for entry in self.entries if entry.error is not None)


@dataclass(frozen=True, slots=True)
class BatchReportStore:
    """The reports in the results bucket."""

    bucket: Bucket

    def find(self, benchmark: str, player: str, batch: str) -> BatchReport | None:
        """Read a report; None if the import has not ended."""
        stored = self.bucket.find_model(report_key(benchmark, player=player, batch=batch), BatchReport)
        return stored.value if stored else None

    def put(self, report: BatchReport) -> BatchReport:
        """Store a report; the first but an `internal_error` wins. Return the stored one."""
        key = report_key(report.benchmark, player=report.player, batch=report.drop)

        def attempt() -> BatchReport:
            existing = self.bucket.find_model(key, BatchReport)
            if existing is not None and not _gives_way(existing.value, report):
                return existing.value
            self.bucket.put(key, report.to_body(exclude_none=True), replacing=existing and existing.etag)
            return report

        return retry_on_conflict(attempt, what=f"report {key}")


def _gives_way(existing: BatchReport, report: BatchReport) -> bool:
    return existing.state is BatchState.INTERNAL_ERROR and report.state is not BatchState.INTERNAL_ERROR


class EntryResult(NamedTuple):
    """What became of an entry in the end: `refused`, `queued`, or the outcome of its submission.

    The message is why it has no score, as far as the player may know; "" if it has one or waits for it.
    """

    entry: str
    submission: str | None
    status: str
    message: str = ""
    pointer: str | None = None

    @property
    def failed(self) -> bool:
        """Return whether it has no score and will get none."""
        return self.status not in {"queued", Outcome.SCORED}


def summarize(report: BatchReport, records: Mapping[str, SubmissionRecord]) -> tuple[EntryResult, ...]:
    """Return what became of each entry of a batch; one without a record is queued."""
    return tuple(_summarize_entry(entry, records) for entry in report.entries)


def _summarize_entry(entry: BatchEntry, records: Mapping[str, SubmissionRecord]) -> EntryResult:
    if entry.submission is None:
        return EntryResult(entry.entry, None, "refused", entry.error or "")
    record = records.get(entry.submission)
    if record is None:
        return EntryResult(entry.entry, entry.submission, "queued")
    result = EntryResult(entry.entry, entry.submission, record.outcome.value)
    match record.outcome:
        case Outcome.SCORED:
            return result
        case Outcome.INVALID:
            return result._replace(message=record.message, pointer=record.pointer)
        case _:
            return result._replace(message=APOLOGY)
