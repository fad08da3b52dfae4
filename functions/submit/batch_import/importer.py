"""Receives a drop: checks it again, whatever let it in, and hands in each of its entries.

Ids are derived, charging and keeping are idempotent, and the report is written last: a drop that is read twice, or
again after a crash, makes the same submissions and has one report.
"""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from storage.access.players import PlayerStore
from storage.access.quotas import TIMES_FREED, QuotaKey, QuotaStore
from storage.aws.errors import NotFound
from storage.batches.reports import BatchEntry, BatchReport, BatchReportStore, BatchState
from storage.batches.uploads import BatchUpload, BatchUploadStore
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.ids import Clock
from storage.keys import BatchKey, ResultKey
from storage.mail.outbox import MailOutbox
from storage.submissions.models import Player, Submission
from storage.submissions.store import SubmissionStore
from submit.batch_import.archive import UnreadableBatch
from submit.batch_import.entries import Entry, EntryError, show_name
from submit.batch_import.formats import MEDIA_TYPES, check_batch, check_window, is_bundle, read_batch

MAX_CHUNK_ENTRIES = 1_000
MAX_CHUNK_BYTES = 32_000_000
PUTS_AT_ONCE = 16
_APOLOGY = "internal error: we could not read this drop to its end; what we did read is scored"


class OrphanBatch(Exception):
    """A drop of which no report is made, because it belongs to no player; the message says why."""


class _Job(NamedTuple):
    """A drop that may be read, and what its entries have in common."""

    drop: BatchUpload
    published: PublishedBenchmark
    player: Player
    recorded: Collection[str]
    """Submissions of an earlier try that have an outcome already: their quota is settled."""

    @property
    def content_type(self) -> str:
        return MEDIA_TYPES[".zip" if is_bundle(self.drop.key.file, self.published) else ".json"]

    @property
    def allowance(self) -> QuotaKey:
        return QuotaKey(self.published.id, self.player.id, self.drop.received_at.date())

    def submission_of(self, entry: Entry) -> Submission:
        return Submission(
            id=self.drop.id_of(entry.name),
            benchmark=self.published.id,
            player=self.player,
            part=entry.part,
            drop=self.drop.id,
        )


@dataclass(frozen=True, slots=True)
class BatchImporter:
    """Receives drops."""

    drops: BatchUploadStore
    reports: BatchReportStore
    benchmarks: BenchmarkStore
    players: PlayerStore
    quotas: QuotaStore
    submissions: SubmissionStore
    mail: MailOutbox
    clock: Clock
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(PUTS_AT_ONCE))

    def receive(self, key: BatchKey, version_id: str) -> BatchReport:
        """Hand in what a version of a drop holds.

        Returns:
            The report that stands.

        Raises:
            Stray: There is no such drop, or no such player.
            StoreError: Not received to its end; the same call, again, goes on.
        """
        drop, player = self._admit(key, version_id)
        report = self.reports.find(key.benchmark, key.player, drop.id)
        if report is None or report.state is BatchState.INTERNAL_ERROR:
            report = self.reports.put(self._hand_in(drop, player))
        self._note(report)
        return report

    def bury(self, key: BatchKey, version_id: str) -> BatchReport:
        """Report that we could not receive a drop; what was handed in of it stands. Raises Stray, StoreError."""
        drop, _ = self._admit(key, version_id)
        report = self.reports.put(make_report(drop, BatchState.INTERNAL_ERROR, _APOLOGY))
        self._note(report)
        return report

    def _admit(self, key: BatchKey, version_id: str) -> tuple[BatchUpload, Player]:
        drop = self.drops.find(key, version_id)
        if drop is None:
            raise OrphanBatch("the object is gone")
        account = self.players.find(key.player)
        if account is None:
            raise OrphanBatch("there is no such player")
        return drop, account.player

    def _note(self, report: BatchReport) -> None:
        """Note that the player gets a mail, where something failed of a benchmark that there is."""
        if report.refusals and self._find_benchmark(report.benchmark) is not None:
            self.mail.note_failed_drop(report.benchmark, player=report.player, drop=report.drop, now=self.clock())

    def _hand_in(self, drop: BatchUpload, player: Player) -> BatchReport:
        published = self._find_benchmark(drop.key.benchmark)
        if published is None:
            return make_report(drop, BatchState.QUARANTINED, "there is no such benchmark")
        fault = check_batch(drop.key.file, size_bytes=drop.size_bytes, published=published)
        fault = fault or check_window(drop.received_at, published)
        if fault is not None:
            return make_report(drop, BatchState.QUARANTINED, fault)
        told: list[BatchEntry] = []
        recorded = self.submissions.list_drop(published.id, drop=drop.id, version=published.version)
        job = _Job(drop, published, player, recorded)
        try:
            with self.drops.open(drop) as file:
                for chunk in _gather(read_batch(file, drop.key.file, published)):
                    told += self._hand_in_chunk(job, chunk)
        except UnreadableBatch as error:
            return make_report(drop, BatchState.QUARANTINED, str(error))
        return make_report(drop, BatchState.RECEIVED, told)

    def _find_benchmark(self, benchmark: str) -> PublishedBenchmark | None:
        try:
            return self.benchmarks.current(benchmark, fresh=True)
        except NotFound:
            return None

    def _hand_in_chunk(self, job: _Job, chunk: Sequence[Entry | EntryError]) -> list[BatchEntry]:
        """Charge and keep so many entries as the quota allows, and tell what became of each."""
        entries = {job.drop.id_of(one.name): one for one in chunk if isinstance(one, Entry)}
        new = [job.submission_of(one) for id_, one in entries.items() if id_ not in job.recorded]
        charged = self._charge(job, new)
        kept, beyond = new[:charged], new[charged:]
        list(self.pool.map(lambda one: self._keep(job, one, entries[one.id]), kept))
        late = self.pool.map(self._is_kept, beyond)
        over = {one.id for one, known in zip(beyond, late, strict=True) if not known}
        return [_tell_entry(job, one, over) for one in chunk]

    def _charge(self, job: _Job, submissions: Sequence[Submission]) -> int:
        if not submissions:
            return 0
        limit = job.published.definition.submissions.drop_per_day
        return self.quotas.charge_drop(job.allowance, [one.id for one in submissions], per_day=limit)

    def _keep(self, job: _Job, submission: Submission, entry: Entry) -> None:
        self.submissions.put_result(submission, entry.body, content_type=job.content_type)

    def _is_kept(self, submission: Submission) -> bool:
        """Tell whether an earlier try kept a result whose charge was given back since, and taken by another."""
        return self.submissions.find_submission(ResultKey(submission.benchmark, submission.id)) is not None


def make_report(drop: BatchUpload, state: BatchState, told: Sequence[BatchEntry] | str) -> BatchReport:
    """Make the report of a drop.

    Args:
        drop: Which.
        state: How its receipt ended.
        told: What became of each entry, or why there are none.
    """
    entries = [BatchEntry(entry=show_name(drop.key.file), error=told)] if isinstance(told, str) else told
    return BatchReport(
        drop=drop.id,
        benchmark=drop.key.benchmark,
        player=drop.key.player,
        key=str(drop.key),
        version_id=drop.version_id,
        received_at=drop.received_at,
        state=state,
        entries=tuple(entries),
    )


def _gather(entries: Iterator[Entry | EntryError]) -> Iterator[list[Entry | EntryError]]:
    """Gather entries into chunks of so many, and of so many bytes."""
    chunk: list[Entry | EntryError] = []
    size = 0
    for one in entries:
        chunk.append(one)
        size += len(one.body) if isinstance(one, Entry) else 0
        if len(chunk) >= MAX_CHUNK_ENTRIES or size >= MAX_CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _tell_entry(job: _Job, one: Entry | EntryError, over: Collection[str]) -> BatchEntry:
    if isinstance(one, EntryError):
        return BatchEntry(entry=one.name, error=one.error)
    submission = job.drop.id_of(one.name)
    if submission in over:
        return BatchEntry(entry=one.name, error=_tell_quota(job))
    return BatchEntry(entry=one.name, submission=submission)


def _tell_quota(job: _Job) -> str:
    limit = job.published.definition.submissions.drop_per_day
    resets_at = job.allowance.resets_at
    return (
        f"quota: drops may hold {limit} results a day here, and {TIMES_FREED * limit} whose scoring failed; "
        f"the next day begins at {resets_at:%FT%TZ}"
    )
