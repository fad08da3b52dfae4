"""A model of folding: the standings of a player and the entries that they fold are written in one transaction.

At any moment a standing is the fold of exactly the stored entries that its board takes, by the rules and under the
marks that it names. Each rule of this file may be broken on purpose, so that stories show that they would notice.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import batched
from typing import NamedTuple

from scoring_core.ranking.accumulators import (
    Accumulator,
    FoldingRules,
    PartScores,
    ScoredSubmission,
    fold_submissions,
)
from scoring_core.ranking.improvement_lists import ImprovementList
from storage.aws.errors import Busy, Conflict
from tests.faults.interleaving import stop

MAIN = "main"
PAGE = 20
"""Entries of a query's page: others may write between two of them."""
MAX_RACES = 2_000
"""Lost in a row by one process: more than any story has."""


class Broken(Enum):
    """A rule that is broken on purpose."""

    NOTHING = auto()
    STANDING_UNSEEN = auto()
    """A standing is written whatever its version is by now."""
    ENTRY_UNSEEN = auto()
    """An entry is written whatever its revision is by now."""
    ANCHOR_UNSEEN = auto()
    """Folds of one player need not meet in one item."""
    OLDER_NUMBER = auto()
    """A fold by an older publishing goes on where one by a newer has been."""
    BEGINS_WITHOUT_PAST = auto()
    """A standing of a board that begins takes what is delivered only."""
    ENTRIES_AFTER = auto()
    """The entries follow in a second transaction."""
    ENTRIES_BEFORE = auto()
    """All entries are read before the items that the transaction asks for."""


class Entry(NamedTuple):
    """What is stored of a submission: facts that never change, its scores, and marks, which its revision counts.

    `at` is when it was received. One that `waits` counts once a publishing has released what came until then.
    """

    submission: str
    player: str
    label: str
    kind: str
    at: int
    revision: int
    scores: PartScores
    withdrawn: bool = False
    waits: bool = False

    def counts(self, released: int) -> bool:
        """Return whether the scores count, where all that came before `released` is."""
        return bool(self.scores) and not self.withdrawn and (not self.waits or self.at < released)

    @property
    def scored(self) -> ScoredSubmission:
        """The submission with its scores."""
        return ScoredSubmission(self.submission, self.scores)


class ModelBoard(NamedTuple):
    """A board: a predicate over facts, and rules. `span`: from the first moment until before the last."""

    name: str
    rules: FoldingRules
    kind: str | None = None
    has_labels: bool = False
    span: tuple[int, int] | None = None

    def takes(self, entry: Entry) -> bool:
        """Return whether a submission is one of the board's."""
        in_span = self.span is None or self.span[0] <= entry.at < self.span[1]
        return in_span and self.kind in {None, entry.kind}

    def find_row(self, entry: Entry) -> str:
        """Return the row of a submission."""
        return f"{entry.player}/{entry.label}" if self.has_labels else entry.player

    def has_in_row(self, entry: Entry, row: str) -> bool:
        """Return whether a submission counts for a row."""
        return self.takes(entry) and self.find_row(entry) == row


class ModelPublishing(NamedTuple):
    """What one publishing says: the boards, a recurring window, and until when all that waits is released."""

    number: int
    boards: Sequence[ModelBoard]
    window: ModelBoard | None = None
    window_length: int = 1
    released: int = 0

    def list_boards(self, entry: Entry) -> list[ModelBoard]:
        """Return the boards that take a submission."""
        boards = [*self.boards]
        if self.window is not None:
            begins = entry.at // self.window_length * self.window_length
            span = (begins, begins + self.window_length)
            boards.append(self.window._replace(name=f"{self.window.name}-{begins}", span=span))
        return [board for board in boards if board.takes(entry)]

    def list_rows(self, entries: Iterable[Entry]) -> dict["ItemKey", ModelBoard]:
        """Return the rows that submissions count for."""
        return {
            ItemKey(board.name, board.find_row(entry)): board for entry in entries for board in self.list_boards(entry)
        }


class ModelStanding(NamedTuple):
    """A standing, with what it was folded by. The anchor of a player may be one without scores."""

    version: int
    number: int
    released: int = 0
    digest: str = ""
    accumulator: str = ""
    improvements: str = "[0]"

    def read(self, rules: FoldingRules, released: int) -> Accumulator | None:
        """Return the accumulator; None if it was folded by other rules, or when less was released."""
        if (self.digest, self.released) != (rules.digest, released):
            return None
        return Accumulator.from_json(self.accumulator, ImprovementList.from_json(self.improvements), rules)


class ItemKey(NamedTuple):
    """The key of a standing, by board and row; of an entry the board is empty, and the row its submission's id."""

    board: str
    row: str


type Seen = dict[ItemKey, ModelStanding | Entry]
type Rows = dict[ItemKey, ModelBoard]


class Put(NamedTuple):
    """A write in a transaction: if the item has this version or revision; 0: if there is none; None: in any case."""

    key: ItemKey
    item: ModelStanding | Entry
    before: int | None


@dataclass
class ModelTable:
    """The items of a table. Each call is a stop; reads of several items are no snapshot.

    Args:
        chance: Decides what is read first.
        limit: Items of a transaction.
        look: Called with each player whose items were written.
    """

    chance: random.Random
    limit: int
    items: Seen = field(default_factory=dict)
    look: Callable[[str], None] = lambda _: None
    counts: Counter[str] = field(default_factory=Counter)

    def read(self, keys: Iterable[ItemKey]) -> Seen:
        """Read items in two parts, in any order."""
        mixed = sorted(keys)
        self.chance.shuffle(mixed)
        cut = self.chance.randint(0, len(mixed))
        seen: Seen = {}
        for part in (mixed[:cut], mixed[cut:]):
            seen |= stop(lambda part=part: {key: self.items[key] for key in part if key in self.items})  # type: ignore[misc]
        return seen

    def query(self, player: str) -> dict[str, Entry]:
        """Read the entries of a player, page by page."""
        stored: dict[str, Entry] = {}
        last = ""
        while True:
            page = stop(lambda last=last: self.list_entries(player, after=last)[:PAGE])  # type: ignore[misc]
            stored |= {entry.submission: entry for entry in page}
            if len(page) < PAGE:
                return stored
            last = page[-1].submission

    def list_entries(self, player: str, after: str = "") -> list[Entry]:
        """Return the entries of a player as they are at this moment, in order."""
        entries = (item for item in self.items.values() if isinstance(item, Entry) and item.player == player)
        return sorted(entry for entry in entries if entry.submission > after)

    def transact(self, player: str, puts: Sequence[Put]) -> None:
        """Write all or nothing. Raises Conflict."""
        assert 1 <= len(puts) <= self.limit
        assert len({put.key for put in puts}) == len(puts)
        self.counts["transactions"] += 1
        self.counts["full transactions"] += len(puts) == self.limit

        def act() -> None:
            if any(put.before not in {None, _version_of(self.items.get(put.key))} for put in puts):
                self.counts["lost races"] += 1
                raise Conflict("somebody else was first")
            for put in puts:
                before = self.items.get(put.key)
                if isinstance(before, ModelStanding) and isinstance(put.item, ModelStanding):
                    assert before.number <= put.item.number, f"{put.key} fell back to publishing {put.item.number}"
                self.items[put.key] = put.item
            self.look(player)

        stop(act)


def _version_of(item: ModelStanding | Entry | None) -> int:
    if item is None:
        return 0
    return item.revision if isinstance(item, Entry) else item.version


class _NewerRules(Exception):
    """A standing was folded by a newer publishing."""


@dataclass(frozen=True)
class ModelFolder:
    """Folds entries into the standings of all boards that take them.

    Args:
        table: The table.
        find_published: Returns the latest publishing.
        broken: Which rule is not kept.
    """

    table: ModelTable
    find_published: Callable[[], ModelPublishing]
    broken: Broken = Broken.NOTHING

    def fold(self, delivered: Iterable[Entry]) -> None:
        """Fold entries that were delivered, in any order and any number of times."""
        by_player: dict[str, dict[str, Entry]] = {}
        for entry in delivered:
            newest = by_player.setdefault(entry.player, {})
            if entry.submission not in newest or newest[entry.submission].revision < entry.revision:
                newest[entry.submission] = entry
        for player, newest in sorted(by_player.items()):
            while newest:
                self._repeat(player, newest)

    def refold(self, player: str) -> None:
        """Fold all rows of a player by the latest publishing, also those of boards that begin with it."""
        # Once the anchor has the number, no older publishing adds a row that would be missed.
        self._repeat(player, {}, anyway=True)
        published = stop(self.find_published)
        rows = published.list_rows(self.table.query(player).values())
        for some in batched(sorted(rows), self.table.limit - 1, strict=False):
            self._repeat(player, {}, rows={key: rows[key] for key in some}, by=published)

    def _repeat(
        self,
        player: str,
        newest: dict[str, Entry],
        *,
        rows: Rows | None = None,
        by: ModelPublishing | None = None,
        anyway: bool = False,
    ) -> None:
        """Fold as many entries as a transaction holds, or these rows, until no other process is faster."""
        for _ in range(MAX_RACES):
            published = by or stop(self.find_published)
            chosen, touched = self._choose(published, newest) if rows is None else ({}, rows)
            if anyway and not published.boards[0].has_labels:
                touched = {ItemKey(MAIN, player): published.boards[0]}
            try:
                self._attempt(published, player, chosen, touched, anyway=anyway)
            except Conflict:
                continue
            except _NewerRules:
                if by is not None:
                    return  # a newer publishing refolds all of them
                continue
            for submission in chosen:
                del newest[submission]
            return
        raise Busy("lost too many races")

    def _choose(self, published: ModelPublishing, newest: Mapping[str, Entry]) -> tuple[dict[str, Entry], Rows]:
        """Return the first entries that fit into one transaction, with their rows and the anchor."""
        chosen: dict[str, Entry] = {}
        rows: Rows = {}
        for submission, entry in sorted(newest.items()):
            more = rows | published.list_rows([entry])
            if chosen and len(chosen) + len(more) + 2 > self.table.limit:
                break
            chosen[submission], rows = entry, more
        return chosen, rows

    def _attempt(
        self, published: ModelPublishing, player: str, chosen: Mapping[str, Entry], rows: Rows, *, anyway: bool
    ) -> None:
        """Fold once. Raises Conflict if another process was faster."""
        anchor = ItemKey(MAIN, player)
        early = self.table.query(player) if self.broken is Broken.ENTRIES_BEFORE else None
        seen = self.table.read({anchor, *rows, *(ItemKey("", submission) for submission in chosen)})
        standings = {key: item for key, item in seen.items() if isinstance(item, ModelStanding)}
        numbers = [standing.number for standing in standings.values()]
        if self.broken is not Broken.OLDER_NUMBER and any(number > published.number for number in numbers):
            raise _NewerRules
        stored = {key.row: item for key, item in seen.items() if isinstance(item, Entry)}
        due = [entry for name, entry in chosen.items() if name not in stored or stored[name].revision < entry.revision]
        is_current = all(key in standings and standings[key].number == published.number for key in rows)
        is_known = anchor in standings and standings[anchor].number == published.number
        if not due and (is_current and is_known if anyway else is_current):
            return
        after: dict[ItemKey, ModelStanding] = {}
        everything: dict[str, Entry] | None = None
        for key, board in rows.items():
            accumulator: Accumulator | None = None
            if key in standings:
                accumulator = standings[key].read(board.rules, published.released)
            elif anchor not in standings or self.broken is Broken.BEGINS_WITHOUT_PAST:
                accumulator = Accumulator()  # a player without an anchor has no entries
            mine = [entry for entry in due if board.has_in_row(entry, key.row)]
            accumulator = _add(accumulator, mine, stored, board.rules, published.released)
            if accumulator is None:
                if everything is None:
                    everything = self.table.query(player) if early is None else early
                    everything |= {entry.submission: entry for entry in due}
                accumulator = _fold_all(key, board, published.released, everything.values())
            after[key] = _make_standing(accumulator, published, board.rules)
        after.setdefault(anchor, standings.get(anchor, ModelStanding(0, 0))._replace(number=published.number))
        standings_written = [self._put_standing(key, standings.get(key), after[key], anchor) for key in after]
        entries_written = [self._put_entry(entry, stored.get(entry.submission)) for entry in due]
        if self.broken is Broken.ENTRIES_AFTER and due:
            self.table.transact(player, standings_written)
            self.table.transact(player, entries_written)
        else:
            self.table.transact(player, [*standings_written, *entries_written])

    def _put_standing(self, key: ItemKey, before: ModelStanding | None, after: ModelStanding, anchor: ItemKey) -> Put:
        version = _version_of(before)
        unseen = Broken.ANCHOR_UNSEEN if key == anchor else Broken.STANDING_UNSEEN
        return Put(key, after._replace(version=version + 1), None if self.broken is unseen else version)

    def _put_entry(self, entry: Entry, before: Entry | None) -> Put:
        version = None if self.broken is Broken.ENTRY_UNSEEN else _version_of(before)
        return Put(ItemKey("", entry.submission), entry, version)


def _add(
    accumulator: Accumulator | None,
    due: Iterable[Entry],
    stored: Mapping[str, Entry],
    rules: FoldingRules,
    released: int,
) -> Accumulator | None:
    """Return an accumulator with what is due instead of what is stored; None if all entries are needed."""
    for entry in due:
        before = stored.get(entry.submission)
        if accumulator is not None and before is not None and before.counts(released):
            accumulator = accumulator.remove(before.scored, rules)
        if accumulator is not None and entry.counts(released):
            accumulator = accumulator.add(entry.scored, rules)
    return accumulator


def _fold_all(key: ItemKey, board: ModelBoard, released: int, entries: Iterable[Entry]) -> Accumulator:
    counted = (entry.scored for entry in entries if entry.counts(released) and board.has_in_row(entry, key.row))
    return fold_submissions(counted, board.rules)


def _make_standing(accumulator: Accumulator, published: ModelPublishing, rules: FoldingRules) -> ModelStanding:
    improvements = accumulator.improvements.to_json()
    return ModelStanding(0, published.number, published.released, rules.digest, accumulator.to_json(), improvements)
