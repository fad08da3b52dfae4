"""Reads boards: ranks, neighbours, rows from any rank. A player costs the same few reads on a board of any size.

The head, then what it names: the directory, the recent changes, one bucket of places, one or two pages. All but the
head never change, so a process keeps what it has read of them.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scoring_core.benchmarks.boards import MAIN, RowId
from scoring_core.ranking.standings import Place, RankOrder, start_of
from storage.boards.models import Counts, Head, HeadImprovements, HeadWindow, Rows
from storage.boards.pages import (
    Change,
    Directory,
    PageLine,
    Places,
    Row,
    bucket_of,
    decode_changes,
    decode_directory,
    decode_page,
    decode_places,
    find_placed_row,
    list_row_ids,
    read_changes,
    read_rows,
)
from storage.boards.snapshots import SnapshotStore
from storage.boards.views import BoardView, RankedRow

MAX_SHOWN = 4
"""So many boards a process keeps as their heads were."""
_ALL_ROWS = ""
"""Stands for the page of a board whose rows are all in the head."""


class RowsAround(NamedTuple):
    """A row, its number (the leader's is 1), and the rows around it in order, itself included."""

    own: RankedRow
    number: int
    rows: list[RankedRow]


class ShownBoard(NamedTuple):
    """A board as its head shows it at one moment.

    Args:
        head: The head.
        view: All rows, read when they are needed.
        read_places: Reads a bucket of places by its name.
    """

    head: Head
    view: BoardView
    read_places: Callable[[str], Places]

    def rank_of(self, scores: Mapping[str, int | float]) -> int:
        """Return the rank that a row with these columns has, or would have.

        One page is read at most.
        """
        return self.view.count_before(start_of(self.view.order.key(scores))) + 1

    def find_position(self, player: str, label: str | None = None) -> int | None:
        """Return how many rows are before a player's; None if the player has none.

        Where each label has a row it is that of `label`, by default the player's first.
        """
        has_labels = self.head.ranking.rows == "label"
        if has_labels and label is None:
            row_ids = self._list_row_ids(player)
        else:
            row_ids = [str(RowId(player, label if has_labels else None))]
        places = [place for row_id in row_ids if (place := self._find_place(row_id)) is not None]
        return self.view.count_before(min(places)) if places else None

    def find_row(self, player: str, label: str | None = None) -> RankedRow | None:
        """Return a player's row; None if the player has none."""
        around = self.find_around(player, label, above=0, below=0)
        return around and around.own

    def find_around(self, player: str, label: str | None = None, *, above: int, below: int) -> RowsAround | None:
        """Return a player's row between its neighbours; None if the player has none."""
        position = self.find_position(player, label)
        if position is None:
            return None
        start = max(0, position - above)
        rows = self.view.rows_from(start, position - start + 1 + below)
        return RowsAround(rows[position - start], position + 1, rows)

    def rows_from(self, number: int, length: int) -> list[RankedRow]:
        """Return rows from the one of a number on, 1 for the leader's."""
        return self.view.rows_from(number - 1, length)

    def find_bucket(self, row_id: str) -> str:
        """Return the name of the bucket of places in which a row is."""
        names = self.view.directory.places
        return names[bucket_of(row_id, len(names))]

    def _find_place(self, row_id: str) -> Place | None:
        order, directory = self.view.order, self.view.directory
        change = self.view.changes.get(row_id)
        if change is not None:
            return change.row and change.row.place(order)
        if not directory.places:
            rows = self.view.read_page(_ALL_ROWS)
            return next((row.place(order) for row in rows if row.id == row_id), None)
        stored = find_placed_row(self.read_places(self.find_bucket(row_id)), row_id, directory.metrics)
        return stored and order.place(stored.scores, stored.submission, row_id)

    def _list_row_ids(self, player: str) -> list[str]:
        if not self.view.directory.places:
            return [row.id for row in self.view.read_page(_ALL_ROWS) if row.player == player]
        return list_row_ids([*self.view.changes, *self.read_places(self.find_bucket(player))], player)


@dataclass(frozen=True, slots=True)
class BoardReader:
    """Reads boards from their snapshots."""

    snapshots: SnapshotStore
    _shown: OrderedDict[tuple[str, str], ShownBoard] = field(default_factory=OrderedDict, init=False)

    def find(self, benchmark: str, board: str = MAIN, *, version: str | None = None) -> ShownBoard | None:
        """Return a board as it is now; None if there is none of this version.

        Boards of one benchmark never show different versions: the head of the main board says which one it is.
        """
        if board != MAIN and version is None:
            head = self._find_of_main(benchmark, board)
        else:
            head = self._find_head(benchmark, board, version=version)
        if head is None or version not in (None, head.version):
            return None
        return self._keep(head)

    def find_newest(self, benchmark: str, board: str) -> ShownBoard | None:
        """Return a board in the version that was rendered last; None without a head.

        The main board has one head, of the version that all boards show.
        """
        versions = self.snapshots.list_versions(benchmark, board)
        heads = (self._find_head(benchmark, board, version=version) for version in versions)
        newest = max(filter(None, heads), key=lambda head: head.publish_number, default=None)
        return None if newest is None else self._keep(newest)

    def _find_head(self, benchmark: str, board: str = MAIN, *, version: str | None = None) -> Head | None:
        stored = self.snapshots.read_head(benchmark, board, version=version)
        return stored and stored.value

    def _keep(self, head: Head) -> ShownBoard:
        """Return what a head shows; its changes are put in order once."""
        key = head.id, head.board
        shown = self._shown.pop(key, None)
        if shown is None or shown.head != head:
            shown = show_board(self.snapshots, head)
        self._shown[key] = shown
        if len(self._shown) > MAX_SHOWN:
            self._shown.popitem(last=False)
        return shown

    def _find_of_main(self, benchmark: str, board: str) -> Head | None:
        """Return the head of the version that the main board shows; None if there is none."""
        version = None
        # If there is none, the main board may have switched since it was read.
        while (main := self._find_head(benchmark)) is not None and main.version != version:
            version = main.version
            head = self._find_head(benchmark, board, version=version)
            if head is not None:
                return head
        return None


def show_board(snapshots: SnapshotStore, head: Head) -> ShownBoard:
    """Return what a head shows. Raises NotFound if the board has moved on."""
    order, changes = RankOrder(head.ranking.order), dict[str, Change]()

    def read[Decoded](name: str, decode: Callable[[bytes], Decoded]) -> Decoded:
        return snapshots.decode_object(head.folder, name, decode)

    def read_places(name: str) -> Places:
        return read(name, decode_places)

    if head.pages is None:
        rows = read_rows(dict(head.rows))
        view = BoardView(order, _describe_rows(head, rows, order), changes, lambda _: rows)
        return ShownBoard(head, view, read_places)
    recent = read(head.pages.recent, decode_changes) if head.pages.recent else {}
    changes = {**recent, **read_changes(head.pages.buffer)}
    view = BoardView(order, read(head.pages.directory, decode_directory), changes, lambda name: read(name, decode_page))
    return ShownBoard(head, view, read_places)


def _describe_rows(head: Head, rows: Sequence[Row], order: RankOrder) -> Directory:
    """Return the directory of a board whose rows are all in its head."""
    rank = head.rows.rank
    if not rank:
        return Directory((), (), ())
    ties = rank.count(rank[0]), rank.count(rank[-1])
    return Directory((PageLine(_ALL_ROWS, len(rows), rows[0].place(order), rows[-1].place(order), *ties),), (), ())


def show_nobody(shown: ShownBoard, *, board: str, title: str | None, window: HeadWindow) -> ShownBoard:
    """Return an instance of a window in which nobody played.

    `shown` is its board of any time.
    """
    nobody: dict[str, object] = {
        "board": board,
        "board_title": title,
        "window": window,
        "sequence": 0,
        "total": 0,
        "counts": Counts(players=0, submissions=0),
        "rows": Rows(scores=dict.fromkeys(shown.head.rows.scores, ())),
        "pages": None,
        "improvements": HeadImprovements(),
        "notices": (),
    }
    head = shown.head.model_copy(update=nobody)
    view = BoardView(shown.view.order, Directory((), (), ()), {}, lambda _: [])
    return ShownBoard(head, view, shown.read_places)
