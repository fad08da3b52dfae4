"""Boards from all their rows, with the objects under their heads."""

from collections.abc import Collection
from typing import NamedTuple

from aggregate.paging import SIZES, Sizes, count_rows, make_objects, rank_rows, show_rows
from storage.boards.models import Counts, HeadPages, Rows
from storage.boards.pages import Row, Stamp
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
    ordered = sorted(rows, key=lambda row: row.place(columns.order))
    objects, pages, following = dict[str, bytes](), None, None
    if len(ordered) > sizes.head:
        following = ordered[sizes.head].place(columns.order)
        objects = dict(make_objects(ordered, columns, stamp=Stamp(sequence), sizes=sizes))
        pages = HeadPages(directory=[*objects][-1], next=following.to_json())
    return BuiltBoard(
        objects=objects,
        rows=show_rows(rank_rows(ordered[: sizes.head], columns.order, following), columns),
        pages=pages,
        total=len(ordered),
        counts=count_rows(ordered),
    )
