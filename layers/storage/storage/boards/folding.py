"""Folds submissions into standings, each exactly once, whatever is delivered, how often and in which order.

The standings of a player on all boards and the entries that they fold are written in one transaction: each standing if
its lock version is the one that was read, each entry if its revision is. So at any moment a standing is the fold of
exactly the stored entries that its board takes, by the rules that it names. The player's *anchor* is in each of these
transactions: it keeps those from writing who do not know yet which boards have begun.
docs/decisions/0081-one-transaction.md has the argument.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import batched, chain, groupby
from typing import NamedTuple

from scoring_core.benchmarks.boards import read_row_id
from scoring_core.ranking.accumulators import Accumulator, FoldingRules, ScoredSubmission, fold_submissions
from storage.boards.entries import BoardEntry, BoardEntryStore, keep_newest, make_entry_write
from storage.boards.folded_standings import FoldedStanding, read_folded_standing
from storage.boards.published import PublishedBoard, VersionBoards
from storage.boards.rendering.lease import HeldLease, lease_key, read_lease
from storage.boards.standings import BoardKey, BoardState, make_state, read_standing_row, standing_key
from storage.gateway.clients import RunAtOnce, run_at_once
from storage.gateway.conditions import Absent, Equals, Prefix
from storage.gateway.errors import MAX_TRIES, Busy, Conflict, StoreError
from storage.gateway.schema import Plain, Schema
from storage.gateway.table import MAX_WRITES, Table, Write, retry_on_conflict
from storage.submissions.models import NAMELESS

MAX_STANDINGS = 12
"""Of a transaction, each up to 200 KB; no single submission is taken by so many boards."""
MAX_BYTES = 1_400_000
"""Of the scores in a transaction, unless one submission alone has more: it holds 4 MB in all."""
MAX_PLAYERS = 200
"""Players whose standings and entries are in memory at once."""

type PlainItem = dict[str, Plain]


class RowKey(NamedTuple):
    """A row of a board."""

    board: BoardKey
    row: str

    def to_attributes(self) -> dict[str, str]:
        """Return the key of the standing."""
        return {"board": str(self.board), "item": standing_key(self.row)}


class _SeenByNewer(StoreError):
    """A player or a standing was folded under a higher publish number."""


@contextmanager
def _newer_as_conflict() -> Iterator[None]:
    try:
        yield
    except _SeenByNewer as error:
        raise Conflict(str(error)) from error


@dataclass(slots=True)
class FoldedRows:
    """What a fold has done and seen.

    Args:
        boards: Those that take what was delivered.
        rows: Board → the rows for which it counts; not those that could not be folded.
        standings: Each standing in plain form, as this process read or wrote it last.
        leases: Board → who renders it.
        failed: Board → why rows of it could not be folded. What is of no board in particular is the main one's.
        unfolded: The errors of players of whom nothing was folded.
        is_new: Whether a player has first entries. Only a look at what is published now shows if they lack a board.
    """

    boards: dict[BoardKey, PublishedBoard] = field(default_factory=dict)
    rows: dict[BoardKey, set[str]] = field(default_factory=dict)
    standings: dict[RowKey, PlainItem] = field(default_factory=dict)
    leases: dict[BoardKey, HeldLease] = field(default_factory=dict)
    failed: dict[BoardKey, Exception] = field(default_factory=dict)
    unfolded: list[Exception] = field(default_factory=list)
    is_new: bool = False

    def read_state(self, board: BoardKey) -> BoardState | None:
        """Return the state of the rows of a board; None if it cannot be read."""
        keys = [RowKey(board, row) for row in sorted(self.rows[board])]
        items = [self.standings[key] for key in keys if key in self.standings]
        try:
            return make_state(items, self.boards[board].rules, self.leases.get(board))
        except (KeyError, TypeError, ValueError):
            return None

    def fail(self, main: BoardKey, error: Exception) -> None:
        """Note why nothing of a player was folded.

        That a store is out of reach stays the main board's error, for it is not counted.
        """
        self.unfolded.append(error)
        if not isinstance(self.failed.get(main), Busy):
            self.failed[main] = error


class StandingFolder(NamedTuple):
    """Folds board entries into the standings of the boards table, many players at once.

    Args:
        entries: The entries that are stored, in the table of the standings.
        run: Does the same with several players at once.
    """

    entries: BoardEntryStore
    run: RunAtOnce = run_at_once

    @property
    def table(self) -> Table:
        """The boards table."""
        return self.entries.table

    def fold(self, version: VersionBoards, entries: Iterable[BoardEntry]) -> FoldedRows:
        """Fold entries that were delivered, in any order and any number of times.

        They are folded into all boards that take them. A player who cannot be folded keeps no other one back. Nor does
        a row that cannot be folded: it is marked, in the same transaction, to be folded of all entries. Raises Conflict
        if a player or a standing was folded by a newer publishing, Busy if the store is out of reach.
        """
        outcome = FoldedRows()
        left: dict[str, dict[str, BoardEntry]] = {}
        taken = (entry for entry in entries if version.list_boards(entry))
        for player, delivered in groupby(sorted(taken, key=lambda entry: entry.player.id), lambda each: each.player.id):
            left[player] = keep_newest(delivered)
        while left:
            folds = []
            for player, newest in sorted(left.items())[:MAX_PLAYERS]:
                folds.append(_take(self, version, player, newest))
                if not newest:
                    del left[player]
            for _ in range(MAX_TRIES):
                if not (folds := self._attempt(folds, outcome)):
                    break
            for fold in folds:
                outcome.fail(version.main, Busy(f"{fold.player} of {version.key}: lost {MAX_TRIES} races"))
        return outcome

    def begin(self, version: VersionBoards, players: Sequence[str]) -> None:
        """Fold the rows that players lack on boards that have begun.

        The anchors say which that are. A row that cannot be folded is marked. Raises as `fold` does, and the error of a
        player of whom nothing can be folded.
        """
        for some in batched(players, MAX_PLAYERS, strict=False):
            self.run(lambda player: self._begin(version, player), some)

    def _begin(self, version: VersionBoards, player: str) -> None:
        # Then nobody adds what a board of this publishing would miss.
        anchor = self._number_anchor(version, player, "seen")
        if anchor is None:
            return
        lacking: dict[tuple[BoardKey, str | None], BoardEntry] = {}
        for entry in self.entries.list_player(version.key, player):
            for board in version.list_boards(entry):
                if board.key.since > anchor.begun:
                    lacking.setdefault((board.key, board.find_row(entry)), entry)
        # One entry of each row, delivered again, brings the others with it.
        for error in self.fold(version, lacking.values()).unfolded:
            raise error
        self._number_anchor(version, player, "begun")

    def _number_anchor(self, version: VersionBoards, player: str, name: str) -> FoldedStanding | None:
        """Write the publish number into an anchor, and return it as it was.

        None: there is none, or it has all rows.
        """
        key = RowKey(version.key, player).to_attributes()

        def attempt() -> FoldedStanding | None:
            plain = self.table.get(Schema.STANDING, **key)
            before = read_folded_standing(plain)
            if plain is None or before.begun >= version.newest_since:
                return None
            _check_anchor(player, before, version)
            item = {**plain, name: version.publish_number, "counter": before.lock_version + 1}
            self.table.transact([_write_standing(item)])
            return before

        with _newer_as_conflict():
            return retry_on_conflict(attempt, what=f"standing of {player} on {version.key}")

    def refold_all(self, version: BoardKey, board: PublishedBoard, *, anyway: bool = False) -> None:
        """Fold the standings of a board by its present rules.

        All entries are read if these changed, or `anyway`. Raises Conflict if a standing was folded by newer rules,
        Busy if other writers won every time.
        """

        def list_rows() -> Iterator[str]:
            for item in self.table.query(("board", str(board.key)), Prefix("item", standing_key(""))):
                plain = Schema.STANDING.read(item)
                before = read_folded_standing(plain)
                if anyway or before.publish_number != board.publish_number or not before.digest:
                    yield read_standing_row(plain)

        def refold(rows: Sequence[str]) -> None:
            what = f"standings of {rows[0]} on {board.key}"
            retry_on_conflict(lambda: self._refold(version, board, rows, anyway=anyway), what=what)

        groups = (tuple(rows) for _, rows in groupby(list_rows(), lambda row: read_row_id(row).player))
        for some in batched(groups, MAX_PLAYERS, strict=False):
            with _newer_as_conflict():
                self.run(refold, some)

    def _refold(self, version: BoardKey, board: PublishedBoard, rows: Sequence[str], *, anyway: bool) -> None:
        """Fold rows of a player; each is written alone, for half the price."""
        keys = [RowKey(board.key, row) for row in rows]
        everything: list[BoardEntry] = []
        # All standings are read before an entry is: a write that comes between changes one of them.
        for item in list(self.table.get_many(key.to_attributes() for key in keys)):
            plain = Schema.STANDING.read(item)
            key, before = RowKey(board.key, read_standing_row(plain)), read_folded_standing(plain)
            rules = _rules_of(board, key.row)
            _check_number(key, before, board)
            if before.is_folded(rules, board.publish_number) and not anyway:
                continue
            accumulator, seen = None if anyway else before.read_accumulator(rules), list[BoardEntry]()
            if accumulator is None:
                first, last = board.bounds
                stored = self.entries.list_player(version, read_row_id(key.row).player, first=first, last=last)
                if len(rows) > 1:  # of guests without a name, who have one, there may be very many entries
                    everything = everything or list(stored)
                accumulator, seen = _fold_all(board, key.row, everything or stored, (), rules)
            after = before.follow(accumulator, seen, rules=rules, publish_number=board.publish_number)
            if after != before and after.player is not None:
                self.table.transact([_write_standing(_make_item(key, after, accumulator, rules))])

    def _attempt(self, folds: Sequence["_Fold"], outcome: FoldedRows) -> list["_Fold"]:
        """Fold players once, note what was seen, and return those that lost a race."""
        try:
            read = self._read_standings(folds, outcome)
            stored = self._read_entries(folds, read)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001  # it is noted
            if len(folds) == 1:
                outcome.fail(folds[0].version.main, error)
                return []
            return [lost for fold in folds for lost in self._attempt([fold], outcome)]

        def write(fold: _Fold) -> _Written | Exception:
            try:
                return fold.write(read, stored[fold.player])
            except Exception as error:  # noqa: BLE001  # it is noted
                return error

        lost: list[_Fold] = []
        newer: _SeenByNewer | None = None
        for fold, written in zip(folds, self.run(write, folds), strict=True):
            if isinstance(written, _SeenByNewer):
                newer = written
            elif isinstance(written, Conflict):
                lost.append(replace(fold, looks=True))
            else:
                fold.note(written, read, outcome)
        if newer is not None:
            raise Conflict(str(newer))
        return lost

    def _read_standings(self, folds: Sequence["_Fold"], outcome: FoldedRows) -> dict[RowKey, PlainItem]:
        """Read the standings and anchors of players, and who renders their boards."""
        keys = {(str(key.board), standing_key(key.row)): key for fold in folds for key in (*fold.rows, fold.anchor)}
        boards = {board.key: board for fold in folds for board in fold.rows.values()}
        outcome.boards |= boards
        # The leases' holders are only asked for now, so that a renderer need not ask again.
        leases = {lease_key(str(board))["board"]: board for board in boards}
        read: dict[RowKey, PlainItem] = {}
        wanted = [{"board": board, "item": item} for board, item in keys]
        for item in self.table.get_many([*(lease_key(str(board)) for board in boards), *wanted]):
            if lease := read_lease(item):
                outcome.leases[leases[item["board"]["S"]]] = lease
            else:
                plain = Schema.STANDING.read(item)
                read[keys[str(plain["board"]), str(plain["item"])]] = plain
        return read

    def _read_entries(
        self, folds: Sequence["_Fold"], read: Mapping[RowKey, PlainItem]
    ) -> dict[str, dict[str, BoardEntry]]:
        """Read what is stored of what was delivered, player → submission → entry."""
        stored: dict[str, dict[str, BoardEntry]] = {fold.player: {} for fold in folds}
        names = {(fold.player, name) for fold in folds for name in fold.delivered if fold.reads(name, read)}
        for entry in self.entries.find_all(folds[0].version.key, names) if names else ():
            stored[entry.player.id][entry.submission] = entry
        return stored


class _Written(NamedTuple):
    """The standings of a player that were written, the error of each board that failed, and if they are the first."""

    standings: dict[RowKey, PlainItem]
    failed: dict[BoardKey, Exception]
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class _Fold:
    """How entries of one player are folded. One that `looks` reads all that may be stored of them."""

    folder: StandingFolder
    version: VersionBoards
    player: str
    delivered: Mapping[str, BoardEntry]
    rows: Mapping[RowKey, PublishedBoard]
    looks: bool = False

    @property
    def anchor(self) -> RowKey:
        """The standing that every transaction of the player writes."""
        return RowKey(self.version.key, self.player)

    def reads(self, submission: str, read: Mapping[RowKey, PlainItem]) -> bool:
        """Return whether the entry of a submission must be read.

        One that is later than all that had scores is hardly ever stored. If it is, the transaction fails.
        """
        return self.looks or (self.anchor in read and submission <= str(read[self.anchor].get("named_by", "~")))

    def note(self, written: _Written | Exception, read: Mapping[RowKey, PlainItem], outcome: FoldedRows) -> None:
        """Note what was folded, or why nothing was."""
        if isinstance(written, Exception):
            outcome.fail(self.version.main, written)
            return
        for key in self.rows:
            if key.board in written.failed:
                outcome.failed.setdefault(key.board, written.failed[key.board])
                continue
            outcome.rows.setdefault(key.board, set()).add(key.row)
            plain = written.standings.get(key) or read.get(key)
            if plain is not None:
                outcome.standings[key] = plain
        outcome.is_new |= written.is_new

    def write(self, read: Mapping[RowKey, PlainItem], stored: Mapping[str, BoardEntry]) -> _Written:
        """Write the standings and the entries that they do not hold yet.

        Raises Conflict if a standing or one of the entries changed.
        """
        standings = {key: read_folded_standing(read.get(key)) for key in (*self.rows, self.anchor)}
        anchor = standings[self.anchor]
        _check_anchor(self.player, anchor, self.version)
        due = [
            entry
            for submission, entry in sorted(self.delivered.items())
            if submission not in stored or stored[submission].record_revision < entry.record_revision
        ]
        items: dict[RowKey, PlainItem] = {}
        failed: dict[BoardKey, Exception] = {}
        for key, board in self.rows.items():
            _check_number(key, standings[key], board)
            try:
                item = self._fold_row(key, board, standings, stored, due)
            except StoreError:
                raise
            except Exception as error:  # noqa: BLE001  # it is noted
                failed[key.board] = error
                item = self._mark(key, board, read.get(key))
            if item is not None:
                items[key] = item
        if not items and not due:
            return _Written({}, failed)
        begun = anchor.begun if anchor.lock_version else 0 if stored else self.version.publish_number
        held = items.get(self.anchor) or self._keep_anchor(read.get(self.anchor), due)
        items[self.anchor] = {**held, "seen": self.version.publish_number, "begun": begun}
        entries = [make_entry_write(self.version.key, entry, replacing=stored.get(entry.submission)) for entry in due]
        self.folder.table.transact([*map(_write_standing, items.values()), *entries])
        return _Written(items, failed, is_new=not anchor.lock_version)

    def _fold_row(
        self,
        key: RowKey,
        board: PublishedBoard,
        standings: Mapping[RowKey, FoldedStanding],
        stored: Mapping[str, BoardEntry],
        due: Sequence[BoardEntry],
    ) -> PlainItem | None:
        """Return the standing of a row with what is due; None if nothing must be written."""
        before, rules = standings[key], _rules_of(board, key.row)
        seen = [entry for entry in due if board.find_row(entry) == key.row]
        if before.is_folded(rules, board.publish_number) and not seen:
            return None
        accumulator = None if self._may_lack(key, board, standings, stored) else before.read_accumulator(rules)
        for entry in seen:
            replaced = stored.get(entry.submission)
            if accumulator is not None and replaced is not None and replaced.counts:
                accumulator = accumulator.remove(replaced.scored, rules)
            if accumulator is not None and entry.counts:
                accumulator = accumulator.add(entry.scored, rules)
        if accumulator is None:
            first, last = board.bounds
            everything = self.folder.entries.list_player(self.version.key, self.player, first=first, last=last)
            accumulator, seen = _fold_all(board, key.row, everything, due, rules)
        after = before.follow(accumulator, seen, rules=rules, publish_number=board.publish_number)
        return None if after.player is None else _make_item(key, after, accumulator, rules)

    def _may_lack(
        self,
        key: RowKey,
        board: PublishedBoard,
        standings: Mapping[RowKey, FoldedStanding],
        stored: Mapping[str, BoardEntry],
    ) -> bool:
        """Return whether a standing that does not exist may have to hold what is stored."""
        anchor = standings[self.anchor]
        if standings[key].lock_version:
            return False
        if any(board.find_row(entry) == key.row for entry in stored.values()):
            return True
        return board.key.since > anchor.begun if anchor.lock_version else bool(stored)

    def _mark(self, key: RowKey, board: PublishedBoard, plain: PlainItem | None) -> PlainItem:
        """Return a standing that is marked to be folded of all entries; it shows the same."""
        if plain is not None:
            return {**plain, "counter": int(plain["counter"]) + 1, "rules": "", "accumulator": ""}
        return self._make_empty(key, publish_number=board.publish_number)

    def _keep_anchor(self, plain: PlainItem | None, due: Sequence[BoardEntry]) -> PlainItem:
        """Return an anchor that is no standing of a board, or one that does not change."""
        if plain is None:
            kept = self._make_empty(self.anchor, publish_number=0)
        else:
            kept = {**plain, "counter": int(plain["counter"]) + 1}
        kept["named_by"] = max([str(kept["named_by"]), *(entry.submission for entry in due)])
        return kept if self.version.main == self.version.key else {**kept, "rules": "", "accumulator": ""}

    def _make_empty(self, key: RowKey, *, publish_number: int) -> PlainItem:
        """Return a first standing that holds nothing."""
        player = next(iter(self.delivered.values())).player
        empty = FoldedStanding(publish_number=publish_number, player=player)
        return _make_item(key, empty, Accumulator(), next(iter(self.rows.values())).rules)


def _take(folder: StandingFolder, version: VersionBoards, player: str, newest: dict[str, BoardEntry]) -> _Fold:
    """Take away the first entries that fit into a transaction; return their fold."""
    taken: dict[str, BoardEntry] = {}
    rows: dict[RowKey, PublishedBoard] = {}
    size = 0
    for submission, entry in sorted(newest.items()):
        size += len(json.dumps(entry.scores))
        more = rows | {
            RowKey(board.key, row): board
            for board in version.list_boards(entry)
            if (row := board.find_row(entry)) is not None
        }
        is_full = len(taken) + 1 + len(more) + 1 > MAX_WRITES or len(more) > MAX_STANDINGS or size > MAX_BYTES
        if taken and is_full:
            break
        taken[submission], rows = newest.pop(submission), more
    return _Fold(folder, version, player, taken, rows)


def _rules_of(board: PublishedBoard, row: str) -> FoldingRules:
    """Return the rules of a row: guests without a name are only counted, all together."""
    return replace(board.rules, counts_only=True) if row in NAMELESS else board.rules


def _check_anchor(player: str, anchor: FoldedStanding, version: VersionBoards) -> None:
    if anchor.seen_number > version.publish_number:
        raise _SeenByNewer(f"{player} of {version.key}: folded by a newer publishing")


def _check_number(key: RowKey, standing: FoldedStanding, board: PublishedBoard) -> None:
    if standing.publish_number > board.publish_number:
        raise _SeenByNewer(f"standing of {key.row} on {key.board}: folded by a newer ranking")


def _fold_all(
    board: PublishedBoard, row: str, stored: Iterable[BoardEntry], due: Sequence[BoardEntry], rules: FoldingRules
) -> tuple[Accumulator, list[BoardEntry]]:
    """Return the fold of all entries of a row, with the latest and those with notices."""
    replaced = {entry.submission for entry in due}
    kept: list[BoardEntry] = []

    def list_scored() -> Iterator[ScoredSubmission]:
        latest: BoardEntry | None = None
        for entry in chain((entry for entry in stored if entry.submission not in replaced), due):
            if board.find_row(entry) == row:
                latest = entry if latest is None or latest.submission < entry.submission else latest
                if entry.notice is not None:
                    kept.append(entry)
                if entry.counts:
                    yield entry.scored
        kept.extend(filter(None, [latest]))

    return fold_submissions(list_scored(), rules), kept


def _make_item(key: RowKey, after: FoldedStanding, accumulator: Accumulator, rules: FoldingRules) -> PlainItem:
    """Return the item of a standing that follows the one that was read."""
    counted = replace(after, lock_version=after.lock_version + 1)
    return {**key.to_attributes(), **counted.to_attributes(accumulator, rules)}


def _write_standing(item: PlainItem) -> Write:
    if item["counter"] == 1:
        return Write(Schema.STANDING, item, Absent("board"))
    return Write(Schema.STANDING, item, Equals("counter", int(item["counter"]) - 1))
