"""Receives a drop: checks it again, whatever let it in, and hands in each of its entries.

Ids are derived, charging and keeping are idempotent, and the report is written last: a drop that is read twice, or
again after a crash, makes the same submissions and has one report.
"""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from ledger.benchmark_store import BenchmarkStore, Published
from ledger.drop_reports import DropEntry, DropReport, DropReportStore, DropState
from ledger.drop_store import Drop, DropStore
from ledger.errors import NotFound
from ledger.keys import DropKey, ResultKey
from ledger.mail_store import MailStore
from ledger.player_store import PlayerStore
from ledger.quota_store import TIMES_FREED, Allowance, QuotaStore
from ledger.submission_id import Clock
from ledger.submission_store import SubmissionStore
from ledger.submissions import Player, Submission
from submit.drop_archive import BrokenDrop
from submit.drop_entries import Entry, Refusal, show_name
from submit.drop_forms import MEDIA_TYPES, check_drop, check_window, is_bundle, read_drop

MAX_CHUNK_ENTRIES = 1_000
MAX_CHUNK_BYTES = 32_000_000
PUTS_AT_ONCE = 16
_APOLOGY = "internal error: we could not read this drop to its end; what we did read is scored"


class Stray(Exception):
    """A drop of which no report is made, because it belongs to no player; the message says why."""


class _Job(NamedTuple):
    """A drop that may be read, and what its entries have in common."""

    drop: Drop
    published: Published
    player: Player
    recorded: Collection[str]
    """Submissions of an earlier try that have an outcome already: their quota is settled."""

    @property
    def content_type(self) -> str:
        return MEDIA_TYPES[".zip" if is_bundle(self.drop.key.file, self.published) else ".json"]

    @property
    def allowance(self) -> Allowance:
        return Allowance(self.published.id, self.player.id, self.drop.received_at.date())

    def submission_of(self, entry: Entry) -> Submission:
        return Submission(
            id=self.drop.id_of(entry.name),
            benchmark=self.published.id,
            player=self.player,
            part=entry.part,
            drop=self.drop.id,
        )


@dataclass(frozen=True, slots=True)
class DropDesk:
    """Receives drops."""

    drops: DropStore
    reports: DropReportStore
    benchmarks: BenchmarkStore
    players: PlayerStore
    quotas: QuotaStore
    submissions: SubmissionStore
    mail: MailStore
    clock: Clock
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(PUTS_AT_ONCE))

    def receive(self, key: DropKey, version_id: str) -> DropReport:
        """Hand in what a version of a drop holds.

        Returns:
            The report that stands.

        Raises:
            Stray: There is no such drop, or no such player.
            StoreError: Not received to its end; the same call, again, goes on.
        """
        drop, player = self._admit(key, version_id)
        report = self.reports.find(key.benchmark, key.player, drop.id)
        if report is None or report.state is DropState.INTERNAL_ERROR:
            report = self.reports.put(self._hand_in(drop, player))
        self._note(report)
        return report

    def bury(self, key: DropKey, version_id: str) -> DropReport:
        """Report that we could not receive a drop; what was handed in of it stands. Raises Stray, StoreError."""
        drop, _ = self._admit(key, version_id)
        report = self.reports.put(make_report(drop, DropState.INTERNAL_ERROR, _APOLOGY))
        self._note(report)
        return report

    def _admit(self, key: DropKey, version_id: str) -> tuple[Drop, Player]:
        drop = self.drops.find(key, version_id)
        if drop is None:
            raise Stray("the object is gone")
        account = self.players.find(key.player)
        if account is None:
            raise Stray("there is no such player")
        return drop, account.player

    def _note(self, report: DropReport) -> None:
        """Note that the player gets a mail, where something failed of a benchmark that there is."""
        if report.refusals and self._find_benchmark(report.benchmark) is not None:
            self.mail.note_failed_drop(report.benchmark, player=report.player, drop=report.drop, now=self.clock())

    def _hand_in(self, drop: Drop, player: Player) -> DropReport:
        published = self._find_benchmark(drop.key.benchmark)
        if published is None:
            return make_report(drop, DropState.QUARANTINED, "there is no such benchmark")
        fault = check_drop(drop.key.file, size_bytes=drop.size_bytes, published=published)
        fault = fault or check_window(drop.received_at, published)
        if fault is not None:
            return make_report(drop, DropState.QUARANTINED, fault)
        told: list[DropEntry] = []
        recorded = self.submissions.list_drop(published.id, drop=drop.id, version=published.version)
        job = _Job(drop, published, player, recorded)
        try:
            with self.drops.open(drop) as file:
                for chunk in _gather(read_drop(file, drop.key.file, published)):
                    told += self._hand_in_chunk(job, chunk)
        except BrokenDrop as error:
            return make_report(drop, DropState.QUARANTINED, str(error))
        return make_report(drop, DropState.RECEIVED, told)

    def _find_benchmark(self, benchmark: str) -> Published | None:
        try:
            return self.benchmarks.current(benchmark, fresh=True)
        except NotFound:
            return None

    def _hand_in_chunk(self, job: _Job, chunk: Sequence[Entry | Refusal]) -> list[DropEntry]:
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


def make_report(drop: Drop, state: DropState, told: Sequence[DropEntry] | str) -> DropReport:
    """Make the report of a drop.

    Args:
        drop: Which.
        state: How its receipt ended.
        told: What became of each entry, or why there are none.
    """
    entries = [DropEntry(entry=show_name(drop.key.file), error=told)] if isinstance(told, str) else told
    return DropReport(
        drop=drop.id,
        benchmark=drop.key.benchmark,
        player=drop.key.player,
        key=str(drop.key),
        version_id=drop.version_id,
        received_at=drop.received_at,
        state=state,
        entries=tuple(entries),
    )


def _gather(entries: Iterator[Entry | Refusal]) -> Iterator[list[Entry | Refusal]]:
    """Gather entries into chunks of so many, and of so many bytes."""
    chunk: list[Entry | Refusal] = []
    size = 0
    for one in entries:
        chunk.append(one)
        size += len(one.body) if isinstance(one, Entry) else 0
        if len(chunk) >= MAX_CHUNK_ENTRIES or size >= MAX_CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _tell_entry(job: _Job, one: Entry | Refusal, over: Collection[str]) -> DropEntry:
    if isinstance(one, Refusal):
        return DropEntry(entry=one.name, error=one.error)
    submission = job.drop.id_of(one.name)
    if submission in over:
        return DropEntry(entry=one.name, error=_tell_quota(job))
    return DropEntry(entry=one.name, submission=submission)


def _tell_quota(job: _Job) -> str:
    limit = job.published.definition.submissions.drop_per_day
    resets_at = job.allowance.resets_at
    return (
        f"quota: drops may hold {limit} results a day here, and {TIMES_FREED * limit} whose scoring failed; "
        f"the next day begins at {resets_at:%FT%TZ}"
    )
