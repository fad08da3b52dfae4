"""Imports a batch: checks it again, since S3 cannot, and submits each of its entries.

Ids are derived, charging and storing are idempotent, and the report is written last. So a batch that is read twice, or
again after a crash, makes the same submissions and has one report. Equal bytes under the same name are, for a day, the
batch that exists: its ids are derived for them too.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from storage.batches.reports import BatchEntry, BatchReport, BatchState
from storage.batches.uploads import BatchUpload
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.clients import run_at_once
from storage.keys import BatchKey, ResultKey
from storage.mail.models import NO_BENCHMARK
from storage.players.quotas import QuotaKey, list_quotas
from storage.submissions.labels import MAX_LABELS
from storage.submissions.models import Player, Submission
from submit.batch_import.entries import Entry, EntryError, UnreadableBatch, show_name
from submit.batch_import.readers import check_batch, check_tickets, read_batch
from submit.dependencies import BatchServices

MAX_CHUNK_ENTRIES = 1_000
MAX_CHUNK_BYTES = 32_000_000
_FAILED = "internal error: this batch was not read completely; the entries that were read are scored"


class OrphanBatch(Exception):
    """A batch without a player, so without a report; the message says why."""


class _BatchImport(NamedTuple):
    """A batch that may be read, and what its entries share."""

    batch: BatchUpload
    published: PublishedBenchmark
    player: Player
    recorded: Collection[str]
    """Submissions of an earlier attempt that have an outcome."""
    ban: str | None
    """Why no further entry is submitted."""
    is_late: bool

    @property
    def quota(self) -> QuotaKey:
        day = self.batch.received_at.date()
        (quota,) = list_quotas(self.published.id, self.player.id, None, day, late=self.is_late)
        return quota

    def submission_of(self, entry: Entry) -> Submission:
        return Submission(
            id=self.batch.id_of(entry.name),
            benchmark=self.published.id,
            player=self.player,
            part=entry.part,
            batch=self.batch.id,
            label=entry.label,
            file_format=entry.file_format,
            late=self.is_late,
        )


def import_batch(batches: BatchServices, key: BatchKey, version_id: str) -> BatchReport:
    """Submit the entries of one version of a batch, and return the stored report.

    If the batch repeats an earlier one, the report is that one's, and nothing is submitted twice. Raises
    OrphanBatch if the batch or its player does not exist, StoreError if it is incomplete; another call continues.
    """
    batch, player = _find(batches, key, version_id)
    report = _find_final_report(batches, batch)
    if report is None:
        report = _import(batches, batch, player)
    if report.drop == batch.id:
        _enqueue_mail(batches, report)
    return report


def report_stray(batches: BatchServices, key: str, version_id: str) -> None:
    """Report a file whose key names no player to the administrator.

    Raises StoreError if it is incomplete; another call continues.
    """
    batch = batches.uploads.identify(key, version_id)
    if batch is not None:
        _report_orphan(batches, NO_BENCHMARK, batch, f"{show_name(key)}: names no benchmark, player and file")


def record_failure(batches: BatchServices, key: BatchKey, version_id: str) -> BatchReport:
    """Report a batch as failed; its stored entries stay. Raises as `import_batch`."""
    batch, _ = _find(batches, key, version_id)
    report = batches.reports.put(make_report(batch, BatchState.INTERNAL_ERROR, _FAILED))
    _enqueue_mail(batches, report)
    return report


def _find_final_report(batches: BatchServices, batch: BatchUpload) -> BatchReport | None:
    report = batches.reports.find(batch.key.benchmark, batch.key.player, batch.id)
    return None if report is not None and report.state is BatchState.INTERNAL_ERROR else report


def _import(batches: BatchServices, batch: BatchUpload, player: Player) -> BatchReport:
    """Import the batch that has the same bytes, or else this one.

    An earlier batch gives way if it has no submission, also if that is known only once it is imported here, or if
    its file is gone.
    """
    digest = batches.uploads.digest(batch)
    original = batches.idempotency.acquire(batch, digest=digest)
    while original.id != batch.id:
        report = _find_final_report(batches, original)
        if report is None and batches.uploads.find(original.key, original.version_id) is not None:
            report = batches.reports.put(_submit(batches, original, player))
        if report is not None and any(entry.submission is not None for entry in report.entries):
            batches.reports.put(report, repeat=batch.id)
            return report
        original = batches.idempotency.acquire(batch, digest=digest, replacing=original)
    return batches.reports.put(_submit(batches, batch, player))


def _find(batches: BatchServices, key: BatchKey, version_id: str) -> tuple[BatchUpload, Player]:
    batch = batches.uploads.find(key, version_id)
    if batch is None:
        raise OrphanBatch("the object does not exist any more")
    account = batches.players.find(key.player)
    if account is None:
        _report_orphan(batches, key.benchmark, batch.id, f"{key}: there is no player {key.player}")
        raise OrphanBatch("there is no such player")
    return batch, account.player


def _report_orphan(batches: BatchServices, benchmark: str, batch: str, reason: str) -> None:
    batches.mail.add_orphan(benchmark, batch=batch, reason=reason, now=batches.clock())


def _enqueue_mail(batches: BatchServices, report: BatchReport) -> None:
    """Queue a mail to the player if an entry failed."""
    if report.refusals:
        batches.mail.add_batch_failure(report.benchmark, player=report.player, batch=report.drop, now=batches.clock())


def _submit(batches: BatchServices, batch: BatchUpload, player: Player) -> BatchReport:
    published = batches.benchmarks.find(batch.key.benchmark, fresh=True)
    if published is None:
        # Its player reads the report and gets a mail, if there is an address. A player cannot publish a benchmark.
        _report_orphan(batches, NO_BENCHMARK, batch.id, f"{batch.key}: there is no benchmark {batch.key.benchmark}")
        return make_report(batch, BatchState.QUARANTINED, "there is no such benchmark")
    fault = check_tickets(published)
    fault = fault or check_batch(batch.key.file, size_bytes=batch.size_bytes, published=published)
    terms, moment = published.terms, batch.received_at
    closed = terms.find_closed(moment, player.id)
    fault = fault or (closed and closed[1])
    if fault is not None:
        return make_report(batch, BatchState.QUARANTINED, fault)
    reason = published.bans.get(player.id)
    ban = reason and f"banned from this benchmark by its owner: {reason}"
    reported: list[BatchEntry] = []
    recorded = batches.records.list_batch(published.id, batch=batch.id, version=published.version).records
    job = _BatchImport(batch, published, player, recorded, ban, terms.is_late(moment, player.id))
    try:
        with batches.uploads.open(batch) as file:
            for number, chunk in enumerate(_split(read_batch(file, batch.key.file, published))):
                reported += _submit_chunk(batches, job, number, _reject_excess_labels(batches, job, chunk))
    except UnreadableBatch as error:
        return make_report(batch, BatchState.QUARANTINED, str(error))
    # An attempt before the ban may have submitted entries, which are shown and scored.
    if ban and not any(entry.submission for entry in reported):
        return make_report(batch, BatchState.QUARANTINED, ban)
    return make_report(batch, BatchState.RECEIVED, reported)


def _reject_excess_labels(
    batches: BatchServices, job: _BatchImport, chunk: Sequence[Entry | EntryError]
) -> Sequence[Entry | EntryError]:
    """Return the entries, with an error for each whose label the player may not use.

    No label is ever taken back, so a chunk that is read again has the same errors.
    """
    labels = [entry.label for entry in chunk if isinstance(entry, Entry) and entry.label]
    if not labels or job.ban:
        return chunk
    admitted = batches.labels.admit(job.published.id, job.player.id, labels)
    error = f"label: a player may use {MAX_LABELS} on a benchmark, and this would be one more"
    return [
        EntryError(entry.name, error)
        if isinstance(entry, Entry) and entry.label and entry.label not in admitted
        else entry
        for entry in chunk
    ]


def _submit_chunk(
    batches: BatchServices, job: _BatchImport, number: int, chunk: Sequence[Entry | EntryError]
) -> list[BatchEntry]:
    """Charge and store as many entries as the quota allows, and report each."""
    entries = {job.batch.id_of(entry.name): entry for entry in chunk if isinstance(entry, Entry)}
    submissions = [job.submission_of(entry) for entry in entries.values()]
    charged = _charge(batches, job, number, submissions)
    accepted, rejected = (
        [submission for submission in part if submission.id not in job.recorded]
        for part in (submissions[:charged], submissions[charged:])
    )
    run_at_once(lambda each: batches.records.put_result(each, entries[each.id].body), accepted)
    # What an earlier attempt stored is not over quota.
    stored = run_at_once(lambda each: batches.records.find_submission(ResultKey(each.benchmark, each.id)), rejected)
    over_quota = {submission.id for submission, earlier in zip(rejected, stored, strict=True) if earlier is None}
    return [_report_entry(job, entry, over_quota) for entry in chunk]


def _charge(batches: BatchServices, job: _BatchImport, number: int, submissions: Sequence[Submission]) -> int:
    if not submissions or job.ban:
        return 0
    rules = job.published.definition.submissions
    ids = [submission.id for submission in submissions]
    charged = batches.quotas.charge_batch(job.quota, f"{job.batch.id}#{number}", ids, per_day=rules.drop_per_day)
    if rules.in_all is None or job.is_late:
        return charged
    # What has an outcome was settled by it, and is not counted again.
    due = [submission for submission in submissions[:charged] if submission.id not in job.recorded]
    counted = batches.quotas.charge_entries(due, in_all=rules.in_all)
    return charged if counted == len(due) else submissions.index(due[counted])


def make_report(batch: BatchUpload, state: BatchState, result: Sequence[BatchEntry] | str) -> BatchReport:
    """Return a report with the reports of the entries, or why there are none."""
    entries = [BatchEntry(entry=show_name(batch.key.file), error=result)] if isinstance(result, str) else result
    return BatchReport(
        drop=batch.id,
        benchmark=batch.key.benchmark,
        player=batch.key.player,
        key=str(batch.key),
        version_id=batch.version_id,
        received_at=batch.received_at,
        state=state,
        entries=tuple(entries),
    )


def _split(entries: Iterator[Entry | EntryError]) -> Iterator[list[Entry | EntryError]]:
    """Split entries into chunks of limited number and size."""
    chunk: list[Entry | EntryError] = []
    size = 0
    for entry in entries:
        chunk.append(entry)
        size += len(entry.body) if isinstance(entry, Entry) else 0
        if len(chunk) >= MAX_CHUNK_ENTRIES or size >= MAX_CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _report_entry(job: _BatchImport, entry: Entry | EntryError, over_quota: Collection[str]) -> BatchEntry:
    if isinstance(entry, EntryError):
        return BatchEntry(entry=entry.name, error=entry.error)
    submission = job.batch.id_of(entry.name)
    if submission in over_quota:
        return BatchEntry(entry=entry.name, error=job.ban or _quota_message(job))
    return BatchEntry(entry=entry.name, submission=submission)


def _quota_message(job: _BatchImport) -> str:
    rules = job.published.definition.submissions
    limit, in_all = rules.drop_per_day, f"; a player may submit {rules.in_all} in all" if rules.in_all else ""
    return (
        f"quota: batches may hold {limit} results a day here; the next day begins at "
        f"{job.quota.resets_at:%FT%TZ}{in_all}"
    )
