"""Folds submissions into standings, each exactly once, whatever is delivered, how often and in which order.

Fold first, entry after: (1) read the standing, then the entries; (2) fold what neither holds, and name it as pending in
the same write, on condition of the lock version; (3) only then write its entry; (4) a name leaves `pending` in a later
write, by code that read its entry after the standing or wrote it. Every write is a conditional write of one item, so a
death between any two of them loses and doubles nothing. docs/decisions/0034-fold-first-entry-after.md has the argument.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched, islice
from typing import Any, NamedTuple

from scoring_core.benchmarks.boards import read_row_id
from scoring_core.ranking.accumulators import Accumulator, FoldingRules, ScoredSubmission, fold_submissions
from storage.aws.attributes import Plain
from storage.aws.errors import MAX_TRIES, Busy, Conflict, StoreError
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.aws.threads import run_at_once
from storage.boards.entries import BoardEntry, BoardEntryStore, keep_newest
from storage.boards.folded_standings import MAX_ACCUMULATOR_BYTES, FoldedStanding, HeldEntry, read_folded_standing
from storage.boards.publishing.lease import HeldLease, lease_key
from storage.boards.standings import (
    BoardKey,
    BoardState,
    make_state,
    read_standing_row,
    split_lease,
    standing_key,
)
from storage.submissions.models import NAMELESS

MAX_PENDING = 100
"""Entries of a row that are folded in one write."""
MAX_ROWS = 500
"""Rows whose standings and entries are in memory at once."""

MAX_REMEMBERED = 5_000
"""Entries that a process remembers to have written."""

type FindRecorded = Callable[[BoardKey, Sequence[str]], Iterable[BoardEntry]]
"""Returns the entries of submissions as their records are now."""
type RunAtOnce = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]
"""As `run_at_once`."""


class _FoldedByNewerRules(StoreError):
    """A standing was folded under a higher publish number."""


@dataclass(frozen=True, slots=True)
class WrittenEntries:
    """The board entries that this process wrote last. Entries are never deleted, so they need not be read again."""

    by_name: dict[tuple[BoardKey, str, str], BoardEntry] = field(default_factory=dict)

    def remember(self, board: BoardKey, entries: Iterable[BoardEntry]) -> None:
        """Note entries that are written."""
        for entry in entries:
            self.by_name[board, entry.row, entry.submission] = entry
        for name in list(islice(self.by_name, max(0, len(self.by_name) - MAX_REMEMBERED))):
            del self.by_name[name]

    def find(self, board: BoardKey, row: str, submission: str, held: HeldEntry) -> BoardEntry | None:
        """Return an entry if it was written with the revision that a standing holds."""
        entry = self.by_name.get((board, row, submission))
        return entry if _is_of(entry, held) else None


@dataclass(frozen=True, slots=True)
class StandingFolder:
    """Folds board entries into the standings of the boards table, many rows at once.

    Args:
        table: The boards table.
        find_recorded: Where the entry is found of a submission that is folded, if the process that folded it died.
        run: Does the same with several rows, or entries, at once.
        written: What this process wrote.
    """

    table: Table
    find_recorded: FindRecorded
    run: RunAtOnce = run_at_once
    written: WrittenEntries = field(default_factory=WrittenEntries)

    def fold(
        self, board: BoardKey, entries: Iterable[BoardEntry], *, rules: FoldingRules, publish_number: int
    ) -> BoardState:
        """Fold entries that were delivered, in any order and any number of times.

        Returns:
            The state of the rows to which they belong, as this process read or wrote it, and the lease of the board.

        Raises:
            Conflict: A standing was folded by newer rules.
            Busy: Other writers won every time.
        """
        state = _Seen()
        delivered: dict[str, list[BoardEntry]] = {}
        for entry in entries:
            delivered.setdefault(entry.row, []).append(entry)
        left = {row: keep_newest(of_row) for row, of_row in delivered.items()}
        while left:
            folds = []
            for row, newest in sorted(left.items())[:MAX_ROWS]:
                chosen = {submission: newest.pop(submission) for submission in sorted(newest)[:MAX_PENDING]}
                folds.append(_Fold(self, board, row, rules, publish_number, chosen))
                if not newest:
                    del left[row]
            self._fold_rows(folds, state)
        return make_state(state.standings.values(), rules, state.lease)

    def refold(
        self, board: BoardKey, *rows: str, rules: FoldingRules, publish_number: int, anyway: bool = False
    ) -> None:
        """Fold the standings of rows by the present rules.

        All entries are read if the rules changed, or `anyway`. Raises as `fold` does.
        """
        self._fold_rows([_Fold(self, board, row, rules, publish_number, {}, anyway=anyway) for row in rows])

    def refold_all(self, board: BoardKey, *, rules: FoldingRules, publish_number: int, anyway: bool = False) -> None:
        """Fold all standings of a board as `refold` does. Raises as `fold` does."""

        def list_rows() -> Iterator[str]:
            for item in self.table.query(key=("board", str(board)), prefix=("item", standing_key(""))):
                plain = Schema.STANDING.read(item)
                before = read_folded_standing(plain)
                if anyway or before.publish_number != publish_number:
                    yield read_standing_row(plain)

        for rows in batched(list_rows(), MAX_ROWS, strict=False):
            self.refold(board, *rows, rules=rules, publish_number=publish_number, anyway=anyway)

    def _fold_rows(self, folds: Sequence["_Fold"], seen: "_Seen | None" = None) -> None:
        left = folds
        for _ in range(MAX_TRIES):
            left = self._attempt(left, seen or _Seen())
            if not left:
                return
        raise Busy(f"{len(left)} standings of {left[0].board}: lost {MAX_TRIES} races")

    def _attempt(self, folds: Sequence["_Fold"], seen: "_Seen") -> list["_Fold"]:
        """Fold rows once, note what was seen of them, and return those that lost a race.

        An error in one row leaves the others folded, and written.
        """
        # The order matters. If an entry was read first, a standing that no longer names it would be read after.
        standings = self._read_standings(folds, seen)
        stored = self._read_entries(folds, standings)

        def write(fold: _Fold) -> _Outcome | StoreError:
            try:
                return fold.write_standing(standings[fold.row], stored[fold.row])
            except StoreError as error:
                return error

        outcomes = dict(zip((fold.row for fold in folds), self.run(write, folds), strict=True))
        errors = {row: outcome for row, outcome in outcomes.items() if isinstance(outcome, StoreError)}
        written = {row: outcome for row, outcome in outcomes.items() if isinstance(outcome, _Outcome)}
        entries = [entry for outcome in written.values() for entry in outcome.entries]
        seen.standings |= {row: outcome.standing for row, outcome in written.items() if outcome.standing}
        board, store = folds[0].board, BoardEntryStore(self.table)
        self.run(lambda entry: store.put(board, entry), entries)
        self.written.remember(board, entries)
        for row, error in errors.items():
            if isinstance(error, _FoldedByNewerRules):
                raise Conflict(f"standing of {row} on {board}: folded by a newer ranking")
            if not isinstance(error, Conflict):
                raise error
        return [fold for fold in folds if fold.row in errors]

    def _read_standings(self, folds: Sequence["_Fold"], seen: "_Seen") -> dict[str, FoldedStanding]:
        keys = [{"board": str(fold.board), "item": standing_key(fold.row)} for fold in folds]
        # Who publishes the board is only asked now, so that a publisher need not ask again.
        standings, seen.lease = split_lease(self.table.get_many([lease_key(str(folds[0].board)), *keys]))
        read = {read_standing_row(plain): plain for plain in standings}
        seen.standings |= read
        return {fold.row: read_folded_standing(read.get(fold.row)) for fold in folds}

    def _read_entries(
        self, folds: Sequence["_Fold"], standings: Mapping[str, FoldedStanding]
    ) -> dict[str, dict[str, BoardEntry]]:
        board = folds[0].board
        stored: dict[str, dict[str, BoardEntry]] = {fold.row: {} for fold in folds}
        names: set[tuple[str, str]] = set()
        for fold in folds:
            row, standing = fold.row, standings[fold.row]
            names |= {(row, submission) for submission in fold.delivered if standing.can_hold(submission)}
            for submission, held in standing.pending.items():
                if written := self.written.find(board, row, submission, held):
                    stored[row][submission] = written
                else:
                    names.add((row, submission))
        names -= {(row, submission) for row, entries in stored.items() for submission in entries}
        for entry in BoardEntryStore(self.table).find_all(board, names) if names else ():
            stored[entry.row][entry.submission] = entry
        return stored


@dataclass(slots=True)
class _Seen:
    """Row → its standing as it was read or written last, in plain form, and the lease that was read."""

    standings: dict[str, dict[str, Plain]] = field(default_factory=dict)
    lease: HeldLease | None = None


class _Outcome(NamedTuple):
    """The entries that follow from a standing, and what was written of it, in plain form; None: nothing."""

    entries: Sequence[BoardEntry]
    standing: dict[str, Plain] | None


class _Written(NamedTuple):
    """A standing that was written, in plain form too, and what was due."""

    standing: FoldedStanding
    plain: dict[str, Plain] | None = None
    due: Sequence[BoardEntry] = ()


@dataclass(frozen=True, slots=True)
class _Fold:
    """How entries of one row are folded."""

    folder: StandingFolder
    board: BoardKey
    row: str
    given: FoldingRules
    publish_number: int
    delivered: Mapping[str, BoardEntry]
    anyway: bool = False

    @property
    def rules(self) -> FoldingRules:
        """The rules of the row: guests without a name are only counted, all together."""
        return replace(self.given, counts_only=True) if self.row in NAMELESS else self.given

    @property
    def label(self) -> str | None:
        return read_row_id(self.row).label

    @property
    def entries(self) -> BoardEntryStore:
        return BoardEntryStore(self.folder.table)

    def write_standing(self, before: FoldedStanding, stored: Mapping[str, BoardEntry]) -> _Outcome:
        """Write the standing, if it must change, and return the entries that follow.

        These are of what it holds for certain, and may have no entry. Raises Conflict if the standing changed.
        """
        if before.publish_number > self.publish_number:
            raise _FoldedByNewerRules(self.row)
        newest = self.add_lost(before, stored)
        written = _Written(before)
        due = self.list_due(before, stored, newest)
        is_current = before.publish_number == self.publish_number
        if due or self.anyway or ((before.lock_version or stored) and not is_current):
            written = self.write(before, stored, newest, due)
            newest |= keep_newest(written.due)
        unwritten = sorted(written.standing.list_unwritten(stored).items())
        held = [newest[submission] for submission, held in unwritten if _is_of(newest.get(submission), held)]
        return _Outcome(held, written.plain)

    def add_lost(self, before: FoldedStanding, stored: Mapping[str, BoardEntry]) -> dict[str, BoardEntry]:
        """Return what is delivered, and what is pending and has no entry.

        The process that folded the latter may have died before it wrote the entries.
        """
        lost = [
            submission
            for submission, held in before.list_unwritten(stored).items()
            if submission not in self.delivered or self.delivered[submission].record_revision < held.record_revision
        ]
        recorded = self.folder.find_recorded(self.board, sorted(lost)) if lost else ()
        labelled = (entry._replace(label=self.label) for entry in recorded)
        return keep_newest([*self.delivered.values(), *labelled])

    def list_due(
        self, before: FoldedStanding, stored: Mapping[str, BoardEntry], newest: Mapping[str, BoardEntry]
    ) -> list[BoardEntry]:
        """Return the entries that are newer than what the standing holds, in order."""
        return [
            entry
            for submission, entry in sorted(newest.items())
            if before.find_held(submission, stored).record_revision < entry.record_revision
        ]

    def write(
        self,
        before: FoldedStanding,
        stored: Mapping[str, BoardEntry],
        newest: Mapping[str, BoardEntry],
        due: Sequence[BoardEntry],
    ) -> "_Written":
        """Write the standing with what is due; Conflict if it changed."""
        accumulator = None if self.anyway else self._accumulate(before, stored, due)
        seen: Iterable[BoardEntry] = due
        pending = before.list_unwritten(stored)
        folded: Iterable[str] = [entry.submission for entry in due]
        if accumulator is None:
            entries = keep_newest([*self.entries.list_row(self.board, self.row), *newest.values()])
            counted, pending = _choose_counted(entries, pending)
            accumulator = fold_submissions(counted, self.rules)
            seen = entries.values()
            folded = {*entries, *before.pending}
        named_by = max((entry for entry in seen if entry.scores), key=lambda entry: entry.submission, default=None)
        if named_by is None or named_by.submission < before.named_by:
            player, latest = before.player, before.named_by
        else:
            player, latest = named_by.player, named_by.submission
        text = accumulator.to_json()
        after = FoldedStanding(
            lock_version=before.lock_version,
            publish_number=self.publish_number,
            digest=self.rules.digest,
            player=player or (due[0].player if due else None),
            named_by=latest,
            accumulator=text if len(text) <= MAX_ACCUMULATOR_BYTES else "",
            improvements=accumulator.improvements.to_json(),
            pending=pending | {entry.submission: HeldEntry(entry.record_revision, entry.counts) for entry in due},
            folded_until=max([before.folded_until, *folded]),
            notices=before.join_notices(seen),
        )
        if after.player is None or after == before:
            return _Written(before)
        after = replace(after, lock_version=before.lock_version + 1)
        plain = self._put(after, accumulator)
        return _Written(after, plain, due)

    def _accumulate(
        self, before: FoldedStanding, stored: Mapping[str, BoardEntry], due: Sequence[BoardEntry]
    ) -> Accumulator | None:
        """Return the accumulator with what is due; None if all entries must be read."""
        if stored and not before.lock_version:
            return None
        accumulator = before.read_accumulator(self.rules)
        for entry in due:
            submission = entry.submission
            if accumulator is None:
                return None
            if before.find_held(submission, stored).counts:
                # An entry may be of a revision that had no scores yet.
                counted = stored[submission] if submission in stored and stored[submission].scores else entry
                accumulator = accumulator.remove(counted.scored, self.rules) if counted.scores else None
            if accumulator is not None and entry.counts:
                accumulator = accumulator.add(entry.scored, self.rules)
        return accumulator

    def _put(self, after: FoldedStanding, accumulator: Accumulator) -> dict[str, Plain]:
        key = {"board": str(self.board), "item": standing_key(self.row)}
        plain: dict[str, Plain] = {**key, **after.to_attributes(accumulator, self.rules)}
        read = after.lock_version - 1
        self.folder.table.put(
            Schema.STANDING,
            plain,
            condition="#counter = :counter" if read else "attribute_not_exists(#board)",
            values={"counter": read} if read else None,
        )
        return plain


def _is_of(entry: BoardEntry | None, held: HeldEntry) -> bool:
    return entry is not None and entry.record_revision == held.record_revision


def _choose_counted(
    entries: Mapping[str, BoardEntry], unwritten: Mapping[str, HeldEntry]
) -> tuple[list[ScoredSubmission], dict[str, HeldEntry]]:
    """Return the submissions that count, and what stays pending.

    What is pending wins over an older entry. If nothing says which scores are pending, the submission is no longer
    held; it is folded when it is delivered again.
    """
    counted = []
    for submission, entry in entries.items():
        held = unwritten.get(submission, HeldEntry())
        if entry.counts if held.record_revision <= entry.record_revision else held.counts:
            counted.append(entry.scored)
    pending = {submission: held for submission, held in unwritten.items() if submission in entries or not held.counts}
    return counted, pending
