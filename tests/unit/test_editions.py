"""Editions against all rows of the board: search by name and id, CSV."""

import gzip
from dataclasses import replace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from scoring_core.benchmarks.boards import MAIN
from scoring_core.metrics.score_type import Direction
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.large.editions import EditionReader, EditionStore, ShownEdition, fold_name
from storage.boards.large.writing import EditionSizes, EditionWriter
from storage.boards.models import Metric
from storage.boards.reading import BoardReader
from storage.boards.views import RankedRow
from storage.keys import head_key
from tests.harness.clock import Clock
from tests.unit.board_rows import (
    METRICS,
    MemoryFiles,
    PagedBoard,
    make_row,
    paged_boards,
    rank_rows,
    sort_rows,
    split_pages,
    store_board,
)
from tests.unit.memory_bucket import MemoryBucket

SIZES = EditionSizes(minimum=0, names=4, csv_bytes=100, batch=5, run=7)
_METRICS = tuple(
    Metric(id=name, label=name, unit=None, direction=Direction.HIGHER, decimals=None, help=None, primary=False)
    for name in METRICS
)
_NAMES = ("Ada Lovelace", "Adèle", "ADA 2", "bob", "Lovely Ada", "ß-Team", "")


def open_board(board: PagedBoard) -> tuple[MemoryFiles, list[RankedRow]]:
    """Return the files of a board, and its rows."""
    files = store_board(board)
    head = head_key("coins")
    files.heads[head] = files.heads[head].model_copy(update={"metrics": _METRICS})
    return files, list(BoardReader(files).find("coins").all_rows())  # type: ignore[union-attr]


def write_edition(files: MemoryFiles, bucket: MemoryBucket, *, sizes: EditionSizes = SIZES) -> bool:
    """Write an edition of the board."""
    store = EditionStore(cast("Any", bucket))
    return EditionWriter(BoardReader(files), store, Clock(), sizes).write("coins", MAIN)


def read_edition(bucket: MemoryBucket) -> ShownEdition:
    """Read the edition."""
    shown = EditionReader(EditionStore(cast("Any", bucket))).find("coins", MAIN, version="0a")
    assert shown is not None
    return shown


@given(
    paged_boards(),
    st.lists(st.sampled_from(_NAMES), min_size=30, max_size=30),
    st.sampled_from(["ada", "AD", "lov", "ada lov", "Ada  Love", "ad 2", "bobby", "ss", "ß", " ", "te", "p1", "P2"]),
)
def test_search_finds_names_by_their_beginning_or_else_ids(board: PagedBoard, names: list[str], text: str) -> None:
    """Every row is found whose name starts with the text; if there is none, every row whose player's id does."""
    named = {f"p{number}": name for number, name in enumerate(names)}
    board = name_players(board, named)
    files, rows = open_board(board)
    bucket = MemoryBucket(Clock())
    assert write_edition(files, bucket) == bool(rows)
    if not rows:
        return
    prefix = fold_name(text)
    by_name = [ranked for ranked in rows if prefix and fold_name(ranked.row.name).startswith(prefix)]
    by_id = [ranked for ranked in rows if prefix and fold_name(ranked.row.player).startswith(prefix)]

    found = read_edition(bucket).find_rows(text, 100)

    assert found == (by_name or by_id)
    assert len(read_edition(bucket).find_rows(text, 2)) == min(2, len(found))


@given(paged_boards())
def test_csv_is_that_of_all_rows(board: PagedBoard) -> None:
    """The parts together are one gzipped file of all rows, and each says how many rows it has."""
    files, rows = open_board(board)
    bucket = MemoryBucket(Clock())
    write_edition(files, bucket)
    if not rows:
        return

    shown = read_edition(bucket)

    parts = [shown.store.read_part(shown.folder, part.name) for part in shown.edition.csv]
    text = gzip.decompress(b"".join(parts)).decode()
    assert text == write_header(_METRICS, has_labels=False) + "".join(write_lines(rank_rows(board.rows), _METRICS))
    assert sum(part.rows for part in shown.edition.csv) == len(rows)


def test_edition_is_written_when_the_board_has_moved() -> None:
    """Of the same sequence nothing is written again, nor of a small board; the version must be the board's."""
    board = paged_board()
    files, rows = open_board(board)
    bucket = MemoryBucket(Clock())

    small = write_edition(files, bucket, sizes=SIZES._replace(minimum=len(rows)))
    first, puts = write_edition(files, bucket), bucket.puts
    again, unchanged = write_edition(files, bucket), bucket.puts == puts
    head = head_key("coins")
    files.heads[head] = files.heads[head].model_copy(update={"sequence": 2})
    moved = write_edition(files, bucket)

    assert (small, first, again, unchanged, moved) == (False, True, False, True, True)
    assert read_edition(bucket).edition.sequence == 2
    assert EditionReader(EditionStore(cast("Any", bucket))).find("coins", MAIN, version="0b") is None


def paged_board() -> PagedBoard:
    """Return a board of five rows."""
    rows = sort_rows([make_row(f"p{number}", number, number=number) for number in range(5)])
    lines, pages = split_pages(rows, [2])
    return PagedBoard(lines, pages, {}, {}, rows)


def name_players(board: PagedBoard, names: dict[str, str]) -> PagedBoard:
    """Return a board with other names."""

    def rename(row: Any) -> Any:
        return row and row._replace(name=names[row.player])

    pages = dict(board.pages)
    for page in pages.values():
        page.name[:] = [names[player] for player in page.player]
    layers = [
        {row_id: replace(change, row=rename(change.row)) for row_id, change in layer.items()}
        for layer in (board.recent, board.buffer)
    ]
    return PagedBoard(board.lines, pages, layers[0], layers[1], list(map(rename, board.rows)))
