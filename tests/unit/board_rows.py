"""Boards of pages and changes for tests, and what they show by counting all rows: the oracle of every reader."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from aggregate import paging
from scoring_core.benchmarks.boards import MAIN
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.standings import RankOrder
from scoring_core.scorers.base import Scores
from storage.boards.models import Head, HeadPages, Rows
from storage.boards.pages import (
    Change,
    Directory,
    NamedObject,
    ObjectKind,
    PageLine,
    Row,
    Stamp,
    encode_changes,
    encode_directory,
    encode_page,
    encode_places,
    split_places,
)
from storage.boards.snapshots import DecodedObjects
from storage.boards.standings import Columns
from storage.boards.views import RankedRow
from storage.gateway.bucket import Versioned
from storage.keys import board_prefix, head_key, make_submission_id
from tests.harness.clock import START
from tests.unit.heads import make_head_of, rank_by

ORDER = RankOrder((("points", Direction.HIGHER), ("time", Direction.LOWER)))
METRICS = ("points", "time", "extra")


class PagedBoard(NamedTuple):
    """A board as it is stored: pages by name and their lines, changes since; and all rows that it has now."""

    lines: tuple[PageLine, ...]
    pages: Mapping[str, Sequence[Row]]
    recent: dict[str, Change]
    buffer: dict[str, Change]
    rows: list[Row]


def make_row(
    player: str, points: float | None, time: float | None = None, *, number: int = 0, label: str | None = None
) -> Row:
    """Make a row; the number decides its submission."""
    values = {"points": points, "time": time, "extra": number}
    scores = {name: value for name, value in values.items() if value is not None}
    submission = make_submission_id(START, number.to_bytes(10))
    return Row(player, player.title(), "human", number % 2 > 0, label, scores, number + 1, submission)


def rank_players(players: Mapping[str, tuple[Scores, str]], order: RankOrder) -> list[tuple[str, int, bool]]:
    """Return (player, rank, tied) of the rows of a board, of player → (scores, submission)."""
    rows = [
        make_row(player, None)._replace(scores=scores, submission=submission)
        for player, (scores, submission) in players.items()
    ]
    ordered = sorted(rows, key=lambda row: row.place(order))
    return [(row.player, rank, tied) for rank, tied, row in paging.rank_rows(ordered, order)]


def sort_rows(rows: Sequence[Row]) -> list[Row]:
    """Return rows in rank order."""
    return sorted(rows, key=lambda row: row.place(ORDER))


def rank_rows(rows: Sequence[Row]) -> list[RankedRow]:
    """Return all rows with their ranks, by comparing each with every other."""
    keys = [ORDER.key(row.scores) for row in rows]
    return [
        RankedRow(1 + sum(other < key for other in keys), keys.count(key) > 1, row)
        for row in sort_rows(rows)
        for key in [ORDER.key(row.scores)]
    ]


def split_pages(rows: Sequence[Row], lengths: Sequence[int]) -> tuple[tuple[PageLine, ...], dict[str, Sequence[Row]]]:
    """Return rows in order as pages of these lengths, in turn."""
    lines, pages, start = [], dict[str, Sequence[Row]](), 0
    while start < len(rows):
        length = lengths[len(lines) % len(lengths)]
        part = rows[start : start + length]
        keys = [ORDER.key(row.scores) for row in part]
        name = f"page.1-{len(lines)}.json"
        pages[name] = part
        lines.append(
            PageLine(
                name,
                len(part),
                part[0].place(ORDER),
                part[-1].place(ORDER),
                lead=next((place for place, key in enumerate(keys) if key != keys[0]), len(keys)),
                tail=next((place for place, key in enumerate(reversed(keys)) if key != keys[-1]), len(keys)),
            )
        )
        start += length
    return tuple(lines), pages


_values = st.none() | st.integers(0, 3) | st.sampled_from([0.5, 2**53, 2**53 + 1, -0.0])
_rows = st.builds(lambda points, time, number: (points, time, number), _values, _values, st.integers(0, 5))
_players = st.integers(0, 25).map(lambda number: f"p{number}")


@st.composite
def paged_boards(draw: st.DrawFn) -> PagedBoard:
    """Draw a board: rows in pages, then changes by which rows enter, leave and move, some of them twice."""
    stored = {player: make_row(player, *row[:2], number=row[2]) for player, row in draw(_drawn()).items()}
    ordered = sort_rows(list(stored.values()))
    lines, pages = split_pages(ordered, draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    bases = {row.id: row.place(ORDER) for row in ordered}
    now: dict[str, Row | None] = dict(stored)
    layers = []
    for _ in range(2):
        drawn = draw(st.dictionaries(_players, st.none() | _rows, max_size=12))
        rows = {player: row and make_row(player, *row[:2], number=row[2]) for player, row in drawn.items()}
        layers.append({player: Change(row, bases.get(player)) for player, row in rows.items()})
        now |= rows
    return PagedBoard(lines, pages, layers[0], layers[1], [row for row in now.values() if row is not None])


def _drawn() -> st.SearchStrategy[dict[str, tuple[float | None, float | None, int]]]:
    return st.dictionaries(_players, _rows, min_size=1, max_size=26)


class MemoryFiles:
    """The files of boards in memory; `read` are the names of the objects that were read."""

    def __init__(self) -> None:
        self.heads: dict[str, Head] = {}
        self.objects: dict[tuple[str, ...], bytes] = {}
        self.read: list[str] = []
        self.kept = DecodedObjects()

    def read_head(self, benchmark: str, board: str = MAIN, *, version: str | None = None) -> Versioned[Head] | None:
        """Return the head of a board."""
        head = self.heads.get(head_key(benchmark, board, version=version))
        return head and Versioned(head, "")

    def list_versions(self, benchmark: str, board: str) -> list[str]:
        """Return the versions of which a board has a head."""
        prefix = board_prefix(benchmark, board)
        return [key.removeprefix(prefix).partition("/")[0] for key in self.heads if key.startswith(prefix)]

    def decode_object[Decoded](self, folder: str, name: str, decode: Callable[[bytes], Decoded]) -> Decoded:
        """Return an object, read and decoded once."""

        def read() -> bytes:
            self.read.append(name)
            return self.objects[folder, name]

        return self.kept.read(name, read, decode)


def store_board(board: PagedBoard, *, buckets: int = 2) -> MemoryFiles:
    """Return the files of a board, its head with as many rows as the pages need at least."""
    files, names = MemoryFiles(), []
    stored = [row for page in board.pages.values() for row in page]
    has_labels = any(row.label is not None for row in [*stored, *board.rows])

    def write(named: NamedObject) -> str:
        files.objects["data/b/coins/", named.name] = named.body
        return named.name

    for number, places in enumerate(split_places(stored, buckets, METRICS)):
        names.append(write(Stamp(number).name(ObjectKind.PLACES, encode_places(places))))
    for name, page in board.pages.items():
        write(NamedObject(name, encode_page(page, METRICS, has_labels=has_labels)))
    directory = encode_directory(Directory(board.lines, tuple(names), METRICS))
    recent = encode_changes(board.recent)
    head = make_head_of([]).model_copy(
        update={
            "id": "coins",
            "total": len(board.rows),
            "ranking": rank_by(ORDER.by, has_labels=has_labels),
            "pages": HeadPages(
                directory=write(Stamp(1).name(ObjectKind.DIRECTORY, directory)),
                recent=write(Stamp(1).name(ObjectKind.RECENT, recent)) if board.recent else None,
                buffer={row_id: change.to_json() for row_id, change in board.buffer.items()},
            ),
        }
    )
    files.heads[head_key("coins")] = head
    return files


def show_rows(rows: Sequence[Row]) -> Rows:
    """Return rows as a head shows them."""
    has_labels = any(row.label is not None for row in rows)
    return paging.show_rows(rank_rows(rows), Columns(ORDER, METRICS, has_labels=has_labels))
