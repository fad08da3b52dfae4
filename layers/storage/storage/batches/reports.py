"""Reports of drops: what became of each entry on receipt, one object a drop, written when all of it is safe."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict

from scoring_core.outcome import Outcome
from storage.aws.bucket import Bucket
from storage.aws.errors import retry_on_conflict
from storage.aws.schema import Schema, StoredModel
from storage.keys import report_key
from storage.submissions.models import APOLOGY, SubmissionRecord


class BatchState(StrEnum):
    """How the receipt of a drop ended."""

    RECEIVED = "received"
    """It was read to its end: each entry was handed in or refused."""
    QUARANTINED = "quarantined"
    """Refused as a whole: nothing of it is scored."""
    INTERNAL_ERROR = "internal_error"
    """We failed: what was handed in before stands, and a later success replaces this report."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, serialize_by_alias=True, validate_by_name=True, defer_build=True)


class BatchEntry(_Model):
    """What became of one entry on receipt: it was handed in, or refused.

    Args:
        entry: `line 17` of a JSONL, the path in a ZIP, else the file's name, which also stands for the drop as a whole.
        submission: Its id, where it was handed in.
        error: Why it was refused.
    """

    entry: str
    submission: str | None = None
    error: str | None = None


class BatchReport(StoredModel):
    """What became of a drop on receipt.

    Args:
        drop: Its id.
        benchmark: The benchmark's id, as the key has it.
        player: The player's id.
        key: Where the drop lies.
        version_id: Of the object.
        received_at: When S3 had it, in UTC.
        state: How the receipt ended.
        entries: In the order of the drop.
    """

    form = Schema.BATCH_REPORT

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
        """Those entries that were refused."""
        return tuple(one for one in self.entries if one.error is not None)

    @classmethod
    def parse(cls, content: bytes) -> Self:
        """Read a report back."""
        return cls.model_validate_json(content)


@dataclass(frozen=True, slots=True)
class BatchReportStore:
    """The reports in the results bucket."""

    bucket: Bucket

    def find(self, benchmark: str, player: str, drop: str) -> BatchReport | None:
        """Read a report; None where the drop was not received to its end."""
        stored = self.bucket.find_model(report_key(benchmark, player=player, batch=drop), BatchReport)
        return stored.value if stored else None

    def put(self, report: BatchReport) -> BatchReport:
        """Keep a report; the first one stands, unless it says that we failed and this one does not.

        Returns:
            The report that stands.
        """
        key = report_key(report.benchmark, player=report.player, batch=report.drop)

        def attempt() -> BatchReport:
            existing = self.bucket.find_model(key, BatchReport)
            if existing is not None and not _gives_way(existing.value, report):
                return existing.value
            self.bucket.put(key, report.to_body(exclude_none=True), replacing=existing and existing.etag)
            return report

        return retry_on_conflict(attempt, what=f"report {key}")


def _gives_way(standing: BatchReport, report: BatchReport) -> bool:
    return standing.state is BatchState.INTERNAL_ERROR and report.state is not BatchState.INTERNAL_ERROR


class EntryResult(NamedTuple):
    """What became of one entry.

    Args:
        entry: Its name.
        submission: Its id; None if the entry was rejected.
        status: `refused`, `queued`, or the outcome of its submission.
        message: Why it has no score, as far as the player may know; "" if it has one or waits for it.
        pointer: Where in an invalid result; None for every other status.
    """

    entry: str
    submission: str | None
    status: str
    message: str = ""
    pointer: str | None = None

    @property
    def failed(self) -> bool:
        """Whether it has no score and will get none."""
        return self.status not in {"queued", Outcome.SCORED}


def summarize(report: BatchReport, records: Mapping[str, SubmissionRecord]) -> tuple[EntryResult, ...]:
    """Return what became of each entry of a batch, in its order.

    Args:
        report: The batch's report.
        records: Submission → its record; a submission without one is queued.
    """
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
