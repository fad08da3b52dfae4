"""Compares what a board shows with its standings, and standings with the entries that they are folded of.

Results may arrive meanwhile, so a difference is only reported if it is still there after a while and the standing has
not changed since.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby
from typing import Final, NamedTuple

from scoring_core.benchmarks.boards import read_row_id
from scoring_core.ranking.accumulators import FoldingRules, fold_submissions
from scoring_core.ranking.part_columns import PartColumns
from scoring_core.ranking.standings import Standing
from storage.aws.attributes import Plain
from storage.benchmarks.boards import PublishedBoard
from storage.boards.entries import BoardEntryStore
from storage.boards.folded_standings import read_folded_standing
from storage.boards.pages import Row
from storage.boards.reading import BoardReader, ShownBoard
from storage.boards.standings import (
    BoardKey,
    PlayerStanding,
    StandingStore,
    read_standing,
    read_standing_row,
)

MAX_SUSPECTS: Final = 1_000
"""Rows that are looked at again; more than that are wrong for one reason."""
MAX_FOLDED: Final = 100_000
"""Submissions that are folded again in a day, about; of a larger board another part each day."""
LOOKS: Final = 3
LOOK_SECONDS: Final = 60.0
"""Between two looks: longer than a change takes to the board, a renderer that dies included."""


class Difference(NamedTuple):
    """A row that is wrong, or "" for the board as a whole, and what differs."""

    row_id: str
    text: str


class _Facts(NamedTuple):
    """What a row shows, and its standing says."""

    scores: Mapping[str, int | float]
    submission: str
    submissions: int
    name: str


class _ShownRows(NamedTuple):
    """What a board shows of all rows: row's hash → what it shows as a hash; and what is wrong with their order."""

    rows: dict[int, int]
    faults: list[Difference]


@dataclass(frozen=True, slots=True)
class BoardComparison:
    """Compares boards.

    Args:
        boards: What readers see.
        standings: What the rows must show.
        entries: What the standings must be folded of.
        sleep: Waits between two looks.
    """

    boards: BoardReader
    standings: StandingStore
    entries: BoardEntryStore
    sleep: Callable[[float], None]

    def compare(self, published: PublishedBoard, day: date, *, banned: Collection[str] = ()) -> list[Difference]:
        """Return how a board differs from its standings, and these from their entries.

        The board shows none of the `banned` players.
        """
        shown = self._find(published.key)
        if shown is None:
            return []
        seen = _read_rows(shown)
        suspects = self._find_suspects(published, shown, seen.rows, banned)
        differences = [*seen.faults, *self._confirm(published, suspects, banned)]
        slices = 1 + shown.head.counts.submissions // MAX_FOLDED
        return [*differences, *self._compare_entries(published, slices=slices, number=day.toordinal() % slices)]

    def _find(self, key: BoardKey) -> ShownBoard | None:
        return self.boards.find(key.benchmark, key.board, version=key.version)

    def _find_suspects(
        self, published: PublishedBoard, shown: ShownBoard, rows: dict[int, int], banned: Collection[str]
    ) -> list[str]:
        """Return the rows that are not as their standings; this empties `rows`."""
        suspects: list[str] = []
        rules = published.board.rules
        for state in self.standings.list_states(published.key, rules=rules):
            for row_id, standing in state.without(banned).standings.items():
                if rows.pop(_hash(row_id), None) != _hash_facts(_read_standing(standing, shown, rules)):
                    suspects.append(row_id)
            if len(suspects) >= MAX_SUSPECTS:
                return suspects[:MAX_SUSPECTS]
        if rows:
            suspects += (row.id for row in _list_rows(shown) if _hash(row.id) in rows)
        return suspects[:MAX_SUSPECTS]

    def _confirm(
        self, published: PublishedBoard, suspects: Iterable[str], banned: Collection[str]
    ) -> Iterator[Difference]:
        """Yield suspects that differ at every look while their standing is the same."""
        key, rules = published.key, published.board.rules
        left: dict[str, Difference] = {}
        first: Mapping[str, PlayerStanding] = {}
        for look in range(LOOKS):
            candidates = sorted(suspects) if look == 0 else sorted(left)
            if not candidates:
                return
            if look:
                self.sleep(LOOK_SECONDS)
            # The standings come first: what a head shows that is read later is not older.
            standings = self.standings.read_board(key, candidates, rules=rules).without(banned).standings
            first = standings if look == 0 else first
            shown = self._find(key)
            if shown is None:
                return
            left = {
                row_id: difference
                for row_id in candidates
                if standings.get(row_id) == first.get(row_id)
                and (difference := _compare(row_id, shown, standings.get(row_id), rules)) is not None
            }
        yield from left.values()

    def _compare_entries(self, published: PublishedBoard, *, slices: int, number: int) -> Iterator[Difference]:
        """Yield the standings of a slice that do not follow from their entries."""
        standings = self.standings.list_all(published.key)
        for player, of_player in groupby(standings, lambda plain: read_row_id(read_standing_row(plain)).player):
            if _hash(player) % slices == number:
                yield from self._compare_player(published, player, list(of_player))

    def _compare_player(
        self, published: PublishedBoard, player: str, standings: Sequence[Mapping[str, Plain]]
    ) -> Iterator[Difference]:
        """Yield the standings of a player that do not follow from the entries.

        These are read after them, once for all.
        """
        key, rules = published.key, published.board.rules
        first, last = published.bounds
        version = BoardKey(key.benchmark, key.version)
        entries = [
            (published.find_row(entry), entry)
            for entry in self.entries.list_player(version, player, first=first, last=last)
        ]
        for plain in standings:
            row_id, before = read_standing_row(plain), read_folded_standing(plain)
            if before.digest != rules.digest:
                continue
            counted = [entry.scored for row, entry in entries if entry.counts and row == row_id]
            expected = fold_submissions(counted, rules).read_standing(rules)
            # While the standing is the same, its entries are: they are written with it.
            again = read_folded_standing(self.standings.find_plain(key, row_id))
            stored = read_standing(plain, rules)
            if expected and stored and not before.accumulator:  # too large to be stored, and so are the parts
                expected = replace(expected, done=stored.done, parts={})
            if again == before and expected != stored:
                text = f"the standing has {_describe(stored)}, its submissions give {_describe(expected)}"
                yield Difference(row_id, text)


def _read_rows(shown: ShownBoard) -> _ShownRows:
    """Read all rows of a board, and check their order and number."""
    rows, faults = dict[int, int](), list(_check_pages(shown))
    submissions = 0
    for row in _list_rows(shown):
        rows[_hash(row.id)] = _hash_facts(_read_row(row))
        submissions += row.submissions
    counts = (len(rows), submissions)
    if counts != (shown.total, shown.head.counts.submissions):
        stated = f"{shown.total} rows and {shown.head.counts.submissions} submissions"
        faults.append(Difference("", f"the head counts {stated}, the rows are {counts[0]} with {counts[1]}"))
    return _ShownRows(rows, faults[:MAX_SUSPECTS])


def _check_pages(shown: ShownBoard) -> Iterator[Difference]:
    """Yield what is wrong with the order of pages, on which readers rely."""
    before = None
    for line in shown.view.directory.pages:
        page = shown.view.read_page(line.name)
        places = [page.place(index, shown.view.order) for index in range(len(page))]
        if (line.rows, line.first, line.last) != (len(places), places[0], places[-1]):
            yield Difference("", f"the directory has other rows of {line.name or 'the head'} than the page")
        for place in places:
            if before is not None and place <= before:
                yield Difference(place.row, "the row is not after the one before it")
            before = place


def _list_rows(shown: ShownBoard) -> Iterator[Row]:
    return (ranked.row for ranked in shown.all_rows())


def _compare(row_id: str, shown: ShownBoard, standing: PlayerStanding | None, rules: FoldingRules) -> Difference | None:
    """Return how the row on the board differs from its standing; None if it does not."""
    named = read_row_id(row_id)
    ranked = shown.find_row(named.player, named.label)
    on_board, stored = ranked and _read_row(ranked.row), _read_standing(standing, shown, rules)
    if _hash_facts(on_board) == _hash_facts(stored):
        return None
    return Difference(row_id, f"the board shows {_describe(on_board)}, the standing has {_describe(stored)}")


def _read_row(row: Row) -> _Facts:
    return _Facts(dict(row.scores), row.submission, row.submissions, row.name)


def _read_standing(stored: PlayerStanding | None, shown: ShownBoard, rules: FoldingRules) -> _Facts | None:
    """Return the facts of a standing, with the scores that the board has columns for."""
    if stored is None:
        return None
    standing, columns = stored.standing, shown.head.rows.scores
    scores = {**standing.scores, **PartColumns.of(rules).read(standing)}
    kept = {name: value for name, value in scores.items() if name in columns}
    return _Facts(kept, standing.submission, standing.submissions, stored.player.name)


def _describe(facts: _Facts | Standing | None) -> str:
    if facts is None:
        return "nothing"
    scores = ", ".join(f"{metric} {value}" for metric, value in sorted(facts.scores.items()))
    return f"{scores or 'no scores'} of {facts.submission}, {facts.submissions} submissions"


def _hash_facts(facts: _Facts | None) -> int:
    return _hash(json.dumps(facts and [sorted(facts.scores.items()), *facts[1:]]))


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
