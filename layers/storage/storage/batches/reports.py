"""Reports of batches: what became of each entry, one object a batch, written once all of it is stored."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from scoring_core.benchmarks.definition import Definition
from scoring_core.outcome import Outcome
from scoring_core.ranking.standings import PlaceKey, RankOrder
from scoring_core.scorers.base import Scores
from storage.gateway.bucket import Bucket
from storage.gateway.clients import run_at_once
from storage.gateway.models import FrozenModel, StoredModel
from storage.gateway.schema import Schema
from storage.gateway.table import Page, retry_on_conflict
from storage.keys import make_submission_id, report_key, report_prefix
from storage.submissions.models import APOLOGY
from storage.submissions.store import BatchOutcomes

IN_REVIEW: Final = "in_review"
"""The status of an entry whose scores wait for the owner's look."""


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
    """What became of the batch `drop`, in one version of its object; the entries are in its order.

    A file that repeats an earlier batch has a report under its own id as well, which names that batch and has no entry.
    """

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
    def file(self) -> str:
        """The name of the file that was submitted."""
        return self.key.rpartition("/")[2]

    @property
    def refusals(self) -> tuple[BatchEntry, ...]:
        """The entries that were rejected."""
        return tuple(entry for entry in self.entries if entry.error is not None)


class BatchReportStore(NamedTuple):
    """The reports in the results bucket."""

    bucket: Bucket

    def find(self, benchmark: str, player: str, batch: str) -> BatchReport | None:
        """Read a report; None if the import has not ended.

        The report of a batch that repeats another one is that one's.
        """
        report = self._read(benchmark, player, batch)
        return report if report is None or report.drop == batch else self._read(benchmark, player, report.drop)

    def list_latest(
        self, benchmark: str, player: str, *, since: datetime, before: str | None, length: int
    ) -> Page[BatchReport]:
        """Read a page of the reports of batches received since a moment, newest first."""
        prefix = report_prefix(benchmark, player=player)
        first = report_key(benchmark, player=player, batch=make_submission_id(since, bytes(10)))
        keys = self.bucket.list_keys(prefix, after=first)
        batches = [key.removeprefix(prefix).removesuffix(".json") for key in keys]  # in order of time
        left = [batch for batch in batches if before is None or batch < before]
        newest = left[-length:][::-1]
        reports = run_at_once(lambda batch: self._read(benchmark, player, batch), newest)
        own = (report for batch, report in zip(newest, reports, strict=True) if report and report.drop == batch)
        return Page(tuple(own), newest[-1] if len(left) > length else None)

    def put(self, report: BatchReport, *, repeat: str | None = None) -> BatchReport:
        """Store a report; the first but an `internal_error` wins. Return the stored one.

        `repeat` is a batch that repeats the one of the report: its own report says so, and has no entries.
        """
        report = report if repeat is None else report.model_copy(update={"entries": ()})
        key = report_key(report.benchmark, player=report.player, batch=repeat or report.drop)

        def attempt() -> BatchReport:
            existing = self.bucket.find_model(key, BatchReport)
            before = existing and existing.value
            if before and (before.state is not BatchState.INTERNAL_ERROR or before.state is report.state):
                return before
            self.bucket.put(key, report.to_body(exclude_none=True), replacing=existing and existing.etag)
            return report

        return retry_on_conflict(attempt, what=f"report {key}")

    def _read(self, benchmark: str, player: str, batch: str) -> BatchReport | None:
        stored = self.bucket.find_model(report_key(benchmark, player=player, batch=batch), BatchReport)
        return stored.value if stored else None


class EntryResult(NamedTuple):
    """What became of an entry in the end: `refused`, `queued`, `in_review`, or the outcome of its submission.

    The message is why it has no score, as far as the player may know; "" if it has one or waits for it. Scores are
    None unless it scored and counts. `part` is the one that it is about, `label` the name that its file gave to it.
    """

    entry: str
    submission: str | None
    status: str
    message: str = ""
    pointer: str | None = None
    scores: Scores | None = None
    part: str | None = None
    label: str | None = None
    withdrawn: bool = False

    @property
    def failed(self) -> bool:
        """Return whether it has no score and will get none."""
        return self.status not in {"queued", IN_REVIEW, Outcome.SCORED}


def summarize(report: BatchReport, outcomes: BatchOutcomes) -> tuple[EntryResult, ...]:
    """Return what became of each entry of a batch; one without a record is queued."""
    return tuple(_summarize_entry(entry, outcomes) for entry in report.entries)


def find_best(results: Sequence[EntryResult], definition: Definition) -> tuple[EntryResult, ...]:
    """Return the entry of each part that ranks first by its own scores.

    Of equal ones it is the first. Withdrawn entries count on no board, so none of them is the best.
    """
    order = RankOrder.of(definition.ranking, definition.score_type)
    best: dict[str | None, tuple[PlaceKey, EntryResult]] = {}
    for result in results:
        if result.scores is None or result.withdrawn:
            continue
        key = order.key(result.scores)
        if result.part not in best or key < best[result.part][0]:
            best[result.part] = key, result
    return tuple(result for _, result in best.values())


def _summarize_entry(entry: BatchEntry, outcomes: BatchOutcomes) -> EntryResult:
    if entry.submission is None:
        return EntryResult(entry.entry, None, "refused", entry.error or "")
    record, withdrawn = outcomes.records.get(entry.submission), entry.submission in outcomes.withdrawn
    if record is None:
        return EntryResult(entry.entry, entry.submission, "queued", withdrawn=withdrawn)
    result = EntryResult(
        entry.entry,
        entry.submission,
        record.outcome.value,
        part=record.part,
        label=record.submission.label,
        withdrawn=withdrawn,
    )
    match record.outcome:
        case Outcome.SCORED if record.in_review:
            return result._replace(status=IN_REVIEW)
        case Outcome.SCORED:
            return result._replace(scores=record.scores)
        case Outcome.INVALID:
            return result._replace(message=record.message, pointer=record.pointer)
        case _:
            return result._replace(message=APOLOGY)
