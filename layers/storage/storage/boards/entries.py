"""Board entries: what is stored of one submission for all boards of a version, written together with the standings."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from scoring_core.outcome import Outcome, is_taken_over
from scoring_core.ranking.accumulators import PartScores, ScoredSubmission
from scoring_core.ranking.standings import NO_PART
from storage.boards.standings import RESTORED, BoardKey, WithdrawalNotice
from storage.gateway.conditions import Absent, Between, Equals, Item, Prefix
from storage.gateway.schema import Plain, Schema
from storage.gateway.table import Table, Write
from storage.submissions.decisions import ReviewStore, Withdrawal, WithdrawalStore
from storage.submissions.models import Player, SubmissionRecord, find_owner, player_from_attributes
from storage.submissions.store import SubmissionStore

_PREFIX = "entry#"
LAST = "~"
"""Sorts after every id of a submission."""
ERASED = "erased player"
"""The name of all who are erased."""
_ERASURE = 1_000_000
"""More than all changes of a withdrawal: the entry of an erased player is later than every other one."""


class BoardEntry(NamedTuple):
    """What a submission contributes to its player's standings, part by part, and the facts by which boards take it.

    Of two entries of a submission, the higher record revision wins. A withdrawn one no longer counts; boards show its
    notice. The scores are the same in every revision that has scores. One without scores, or that `waits` for the
    owner, belongs to no board, and is never written. Whether one that was `late` waits, the benchmark knows.
    """

    player: Player
    submission: str
    record_revision: int
    scores: PartScores
    withdrawn: bool = False
    notice: WithdrawalNotice | None = None
    label: str | None = None
    waits: bool = False
    late: bool = False

    @property
    def counts(self) -> bool:
        """Return whether the scores count."""
        return bool(self.scores) and not self.withdrawn

    @property
    def is_erased(self) -> bool:
        """Return whether its player is erased."""
        return self.record_revision > _ERASURE

    @property
    def scored(self) -> ScoredSubmission:
        """The submission with its scores, as standings are folded from."""
        return ScoredSubmission(self.submission, self.scores)


def make_entry(record: SubmissionRecord, withdrawal: Withdrawal | None, *, waits: bool = False) -> BoardEntry:
    """Return what a record contributes; each withdrawal and undo raises the revision."""
    submission = record.submission
    is_scored = record.outcome is Outcome.SCORED
    return BoardEntry(
        player=submission.player,
        submission=submission.id,
        record_revision=record.revision + (withdrawal.changes if withdrawal else 0),
        scores={each.part or NO_PART: each.scores for each in record.evaluations} if is_scored else {},
        withdrawn=withdrawal is not None and withdrawal.is_active,
        notice=None if is_taken_over(submission.id) else withdrawal and _make_notice(withdrawal),
        label=submission.label,
        waits=waits,
        late=submission.late,
    )


def _erase(entry: BoardEntry, erasure: Withdrawal) -> BoardEntry:
    """Return an entry without a name, off all boards, its notice taken back."""
    return entry._replace(
        player=entry.player._replace(name=ERASED),
        record_revision=entry.record_revision + _ERASURE,
        withdrawn=True,
        notice=entry.notice and WithdrawalNotice(erasure.at, entry.submission, RESTORED),
    )


def _make_notice(withdrawal: Withdrawal) -> WithdrawalNotice:
    if withdrawal.restored_at is not None:
        return WithdrawalNotice(withdrawal.restored_at, withdrawal.submission, RESTORED)
    return WithdrawalNotice(withdrawal.at, withdrawal.submission, withdrawal.reason)


def keep_newest(entries: Iterable[BoardEntry]) -> dict[str, BoardEntry]:
    """Return submission → entry of the highest revision; the last wins a tie."""
    newest: dict[str, BoardEntry] = {}
    for entry in entries:
        if entry.submission not in newest or newest[entry.submission].record_revision <= entry.record_revision:
            newest[entry.submission] = entry
    return newest


class BoardEntryStore(NamedTuple):
    """The board entries in the boards table, one item each, in the partition that the key of a version names."""

    table: Table

    def find_all(self, version: BoardKey, names: Iterable[tuple[str, str]]) -> Iterator[BoardEntry]:
        """Read the entries of these players and submissions (consistent). Raises Busy."""
        return map(_read_entry, self.table.get_many(_key(version, *name) for name in sorted(names)))

    def list_latest(self, version: BoardKey, player: str, *, before: str | None, length: int) -> list[BoardEntry]:
        """Read the newest entries of a player, of submissions before this one.

        They may lack what was written a moment ago.
        """
        prefix = f"{_PREFIX}{player}#"
        between = Between("item", prefix, f"{prefix}{before or LAST}")
        items = self.table.read_down(("board", str(version)), between, length=length)
        return [_read_entry(item) for item in items]

    def list_player(self, version: BoardKey, player: str, *, first: str = "", last: str = LAST) -> Iterator[BoardEntry]:
        """Read the entries of a player, of a span of submissions (consistent)."""
        prefix = f"{_PREFIX}{player}#"
        span = Between("item", f"{prefix}{first}", f"{prefix}{last}")
        return map(_read_entry, self.table.query(("board", str(version)), span))

    def list_all(self, version: BoardKey) -> Iterator[BoardEntry]:
        """Read all entries of a version (consistent)."""
        return map(_read_entry, self.table.query(("board", str(version)), Prefix("item", _PREFIX)))


class RecordedEntries(NamedTuple):
    """Board entries as they follow from submission records."""

    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    reviews: ReviewStore
    name_records: Callable[[Sequence[SubmissionRecord]], Sequence[SubmissionRecord]]
    """Returns records with the names that their players have now."""

    def read_all(self, records: Sequence[SubmissionRecord]) -> list[BoardEntry]:
        """Return the entries of records of one benchmark.

        Withdrawals are read now, which players are erased, what they are named, and what owners accepted.
        """
        if not records:
            return []
        records = self.name_records(records)
        submissions = [record.submission for record in records]
        players = _list_erasable(submission.player for submission in submissions)
        names = [*(submission.id for submission in submissions), *players]
        withdrawals = self.withdrawals.find_changed(submissions[0].benchmark, names)
        waiting = self.reviews.find_waiting(records)
        entries = (
            make_entry(record, withdrawals.get(record.submission.id), waits=record.submission.id in waiting)
            for record in records
        )
        return [
            _erase(entry, withdrawals[entry.player.id]) if entry.player.id in withdrawals else entry
            for entry in entries
        ]

    def find_erased(self, benchmark: str, entries: Iterable[BoardEntry]) -> set[str]:
        """Return the players of entries who were erased since.

        Raises Busy.
        """
        players = _list_erasable(entry.player for entry in entries if not entry.is_erased)
        return set(self.withdrawals.find_changed(benchmark, players))


def _list_erasable(players: Iterable[Player]) -> set[str]:
    """Return those who can be erased: a name that anybody may give is nobody's."""
    return {player.id for player in players if player.verified or find_owner(player.id) is not None}


def make_entry_write(version: BoardKey, entry: BoardEntry, *, replacing: BoardEntry | None) -> Write:
    """Return the write of an entry, if the stored one is still this one.

    None: if there is none.
    """
    item: Mapping[str, Plain | None] = {
        **_key(version, entry.player.id, entry.submission),
        **entry.player.to_attributes(),
        "label": entry.label,
        "submission": entry.submission,
        "scores": json.dumps(entry.scores),
        "revision": entry.record_revision,
        "withdrawn": entry.withdrawn,
        "withdrawn_at": entry.notice and entry.notice.at.isoformat(),
        "reason": entry.notice and entry.notice.reason,
    }
    if replacing is None:
        return Write(Schema.BOARD_ENTRY, item, Absent("board"))
    return Write(Schema.BOARD_ENTRY, item, Equals("revision", replacing.record_revision))


def _key(version: BoardKey, player: str, submission: str) -> dict[str, str]:
    return {"board": str(version), "item": f"{_PREFIX}{player}#{submission}"}


def _read_entry(item: Item) -> BoardEntry:
    plain = Schema.BOARD_ENTRY.read(item)
    submission = str(plain["submission"])
    is_noticed = "withdrawn_at" in plain
    return BoardEntry(
        player=player_from_attributes(plain),
        submission=submission,
        record_revision=int(plain["revision"]),
        scores=json.loads(str(plain["scores"])),
        withdrawn=bool(plain["withdrawn"]),
        notice=WithdrawalNotice(datetime.fromisoformat(str(plain["withdrawn_at"])), submission, str(plain["reason"]))
        if is_noticed
        else None,
        label=str(plain["label"]) if "label" in plain else None,
    )
