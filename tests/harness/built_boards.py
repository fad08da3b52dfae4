"""Boards from all their rows, with the objects under their heads."""

from collections.abc import Collection
from typing import NamedTuple

from aggregate.paging import SIZES, Sizes, count_rows, rank_first_rows, show_rows, write_pages
from storage.boards.models import Counts, HeadPages, Rows
from storage.boards.pages import NamedObject, Row, Stamp
from storage.boards.standings import Columns


class BuiltBoard(NamedTuple):
    """A board from all its rows: its objects, name → bytes, and what the head shows of it."""

    objects: dict[str, bytes]
    rows: Rows
    pages: HeadPages | None
    total: int
    counts: Counts


def build(rows: Collection[Row], columns: Columns, *, sequence: int, sizes: Sizes = SIZES) -> BuiltBoard:
    """Return the board of these rows, which may be in any order."""
    objects: dict[str, bytes] = {}

    def write(named: NamedObject) -> None:
        objects[named.name] = named.body

    ordered = sorted(rows, key=lambda row: row.place(columns.order))
    pages = write_pages(ordered, columns, stamp=Stamp(sequence), sizes=sizes, write=write)
    return BuiltBoard(
        objects=objects,
        rows=show_rows(rank_first_rows(ordered, columns.order, sizes.head), columns),
        pages=pages,
        total=len(ordered),
        counts=count_rows(ordered),
    )
