"""Folds submissions into standings, each exactly once, whatever is delivered, how often and in which order.

A standing and the entries that it folds are written in one transaction: the standing if its lock version is the one
that was read, each entry if its revision is. So at any moment a standing is the fold of exactly the stored entries of
its row, by the rules that it names. docs/decisions/0081-one-transaction.md has the argument.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched
from typing import Any

from scoring_core.ranking.accumulators import Accumulator, FoldingRules, fold_submissions
from storage.aws.attributes import Plain
from storage.aws.errors import MAX_TRIES, Busy, Conflict, StoreError
from storage.aws.schema import Schema
from storage.aws.table import MAX_WRITES, Table, Write
from storage.aws.threads import run_at_once
from storage.boards.entries import BoardEntry, BoardEntryStore, keep_newest, make_entry_write
from storage.boards.folded_standings import MAX_ACCUMULATOR_BYTES, FoldedStanding, read_folded_standing
from storage.boards.rendering.lease import HeldLease, lease_key
from storage.boards.standings import (
    BoardKey,
    BoardState,
    make_state,
    read_standing_row,
    split_lease,
    standing_key,
)
from storage.submissions.models import NAMELESS

MAX_ENTRIES = MAX_WRITES - 1
"""Entries of a row that are written with its standing."""
MAX_BYTES = 3_000_000
"""Of their scores, unless one alone has more: a transaction holds 4 MB, the standing and the keys included."""
MAX_ROWS = 500
"""Rows whose standings and entries are in memory at once."""

type RunAtOnce = Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]
"""As `run_at_once`."""


class _FoldedByNewerRules(StoreError):
    """A standing was folded under a higher publish number."""


@dataclass(frozen=True, slots=True)
class StandingFolder:
    """Folds board entries into the standings of the boards table, many rows at once.

    Args:
        table: The boards table.
        run: Does the same with several rows at once.
    """

    table: Table
    run: RunAtOnce = run_at_once

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
        state = _ReadRows()
        delivered: dict[str, list[BoardEntry]] = {}
        for entry in entries:
            delivered.setdefault(entry.row, []).append(entry)
        left = {row: keep_newest(of_row) for row, of_row in delivered.items()}
        while left:
            folds = []
            for row, newest in sorted(left.items())[:MAX_ROWS]:
                folds.append(_Fold(self, board, row, rules, publish_number, _take(newest)))
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

    def _fold_rows(self, folds: Sequence["_Fold"], seen: "_ReadRows | None" = None) -> None:
        left = folds
        for _ in range(MAX_TRIES):
            left = self._attempt(left, seen or _ReadRows())
            if not left:
                return
        raise Busy(f"{len(left)} standings of {left[0].board}: lost {MAX_TRIES} races")

    def _attempt(self, folds: Sequence["_Fold"], seen: "_ReadRows") -> list["_Fold"]:
        """Fold rows once, note what was seen of them, and return those that lost a race.

        An error in one row leaves the others folded, and written.
        """
        standings = self._read_standings(folds, seen)
        stored = self._read_entries(folds, standings)

        def write(fold: _Fold) -> dict[str, Plain] | StoreError | None:
            try:
                return fold.write(standings[fold.row], stored[fold.row])
            except StoreError as error:
                return error

        lost = []
        errors: list[StoreError] = []
        for fold, outcome in zip(folds, self.run(write, folds), strict=True):
            if isinstance(outcome, Conflict):
                lost.append(replace(fold, looks=True))
            elif isinstance(outcome, StoreError):
                errors.append(outcome)
            elif outcome is not None:
                seen.standings[fold.row] = outcome
        for error in errors:
            if isinstance(error, _FoldedByNewerRules):
                raise Conflict(str(error))
            raise error
        return lost

    def _read_standings(self, folds: Sequence["_Fold"], seen: "_ReadRows") -> dict[str, FoldedStanding]:
        keys = [{"board": str(fold.board), "item": standing_key(fold.row)} for fold in folds]
        # The lease's holder is only asked for now, so that a renderer need not ask again.
        standings, seen.lease = split_lease(self.table.get_many([lease_key(str(folds[0].board)), *keys]))
        read = {read_standing_row(plain): plain for plain in standings}
        seen.standings |= read
        return {fold.row: read_folded_standing(read.get(fold.row)) for fold in folds}

    def _read_entries(
        self, folds: Sequence["_Fold"], standings: Mapping[str, FoldedStanding]
    ) -> dict[str, dict[str, BoardEntry]]:
        """Read what is stored of what was delivered, row → submission → entry."""
        stored: dict[str, dict[str, BoardEntry]] = {fold.row: {} for fold in folds}
        names = {(fold.row, name) for fold in folds for name in fold.delivered if fold.reads(name, standings[fold.row])}
        for entry in BoardEntryStore(self.table).find_all(folds[0].board, names) if names else ():
            stored[entry.row][entry.submission] = entry
        return stored


@dataclass(slots=True)
class _ReadRows:
    """Row → its standing as it was read or written last, in plain form, and the lease that was read."""

    standings: dict[str, dict[str, Plain]] = field(default_factory=dict)
    lease: HeldLease | None = None


@dataclass(frozen=True, slots=True)
class _Fold:
    """How entries of one row are folded. One that `looks` reads all that may be stored of them."""

    folder: StandingFolder
    board: BoardKey
    row: str
    given: FoldingRules
    publish_number: int
    delivered: Mapping[str, BoardEntry]
    anyway: bool = False
    looks: bool = False

    @property
    def rules(self) -> FoldingRules:
        """The rules of the row: guests without a name are only counted, all together."""
        return replace(self.given, counts_only=True) if self.row in NAMELESS else self.given

    def reads(self, submission: str, before: FoldedStanding) -> bool:
        """Return whether the entry of a submission must be read.

        One that is later than all that had scores is hardly ever stored. If it is, the transaction fails.
        """
        return self.looks or submission <= before.named_by

    def write(self, before: FoldedStanding, stored: Mapping[str, BoardEntry]) -> dict[str, Plain] | None:
        """Write the standing and the entries that it does not hold yet.

        Return the standing in plain form; None: nothing had to be written. Raises Conflict if the standing or one of
        the entries changed.
        """
        if before.publish_number > self.publish_number:
            raise _FoldedByNewerRules(f"standing of {self.row} on {self.board}: folded by a newer ranking")
        due = [
            entry
            for submission, entry in sorted(self.delivered.items())
            if submission not in stored or stored[submission].record_revision < entry.record_revision
        ]
        is_current = before.publish_number == self.publish_number or not (before.lock_version or stored)
        if is_current and not due and not self.anyway:
            return None
        accumulator = None if self.anyway else self._accumulate(before, stored, due)
        seen: Iterable[BoardEntry] = due
        if accumulator is None:
            everything = BoardEntryStore(self.folder.table).list_row(self.board, self.row)
            entries = keep_newest([*everything, *due])
            accumulator = fold_submissions([entry.scored for entry in entries.values() if entry.counts], self.rules)
            seen = entries.values()
        after = self._change(before, accumulator, seen)
        if after.player is None or (after == before and not due):
            return None
        writes = [make_entry_write(self.board, entry, replacing=stored.get(entry.submission)) for entry in due]
        standing = self._make_write(replace(after, lock_version=before.lock_version + 1), accumulator)
        self.folder.table.transact([standing, *writes])
        return {name: value for name, value in standing.item.items() if value is not None}

    def _accumulate(
        self, before: FoldedStanding, stored: Mapping[str, BoardEntry], due: Sequence[BoardEntry]
    ) -> Accumulator | None:
        """Return the accumulator with what is due; None if all entries must be read."""
        if stored and not before.lock_version:
            return None
        accumulator = before.read_accumulator(self.rules)
        for entry in due:
            replaced = stored.get(entry.submission)
            if accumulator is not None and replaced is not None and replaced.counts:
                accumulator = accumulator.remove(replaced.scored, self.rules)
            if accumulator is not None and entry.counts:
                accumulator = accumulator.add(entry.scored, self.rules)
        return accumulator

    def _change(self, before: FoldedStanding, accumulator: Accumulator, seen: Iterable[BoardEntry]) -> FoldedStanding:
        """Return a standing with another accumulator, and what these entries say besides.

        Its lock version is still the one that was read.
        """
        entries = list(seen)
        player, named_by = before.player, before.named_by
        last = max((entry for entry in entries if entry.scores), key=lambda entry: entry.submission, default=None)
        if last is not None and last.submission >= named_by:
            player, named_by = last.player, last.submission
        text = accumulator.to_json()
        return FoldedStanding(
            lock_version=before.lock_version,
            publish_number=self.publish_number,
            digest=self.rules.digest,
            player=player or (entries[0].player if entries else None),
            named_by=named_by,
            accumulator=text if len(text) <= MAX_ACCUMULATOR_BYTES else "",
            improvements=accumulator.improvements.to_json(),
            notices=before.join_notices(entries),
        )

    def _make_write(self, after: FoldedStanding, accumulator: Accumulator) -> Write:
        key = {"board": str(self.board), "item": standing_key(self.row)}
        item: dict[str, Plain] = {**key, **after.to_attributes(accumulator, self.rules)}
        if after.lock_version == 1:
            return Write(Schema.STANDING, item, "attribute_not_exists(#board)")
        return Write(Schema.STANDING, item, "#counter = :counter", {"counter": after.lock_version - 1})


def _take(newest: dict[str, BoardEntry]) -> dict[str, BoardEntry]:
    """Take the first entries that fit into one transaction away, and return them."""
    taken: dict[str, BoardEntry] = {}
    size = 0
    for submission in sorted(newest)[:MAX_ENTRIES]:
        size += len(json.dumps(newest[submission].scores))
        if taken and size > MAX_BYTES:
            break
        taken[submission] = newest.pop(submission)
    return taken
