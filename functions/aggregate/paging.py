"""From the rows of a board to the objects under its head. Pure."""

from collections.abc import Callable, Collection, Sequence
from itertools import batched
from typing import NamedTuple

from aggregate.board import count_values
from scoring_core.ranking.order import Place, RankOrder
from storage.boards.models import Counts, HeadPages, Histogram, Rows, StoredPlace
from storage.boards.pages import (
    LARGE_BOARD,
    LARGE_PAGE_ROWS,
    PAGE_ROWS,
    Directory,
    NamedObject,
    ObjectKind,
    PageLine,
    PageRows,
    Row,
    encode_directory,
    encode_page,
    name_object,
)
from storage.boards.places import count_buckets, encode_places, split_places
from storage.boards.views import RankedRow
from storage.ids import time_of
from storage.submissions.models import PlayerKind

type WriteObject = Callable[[NamedObject], None]


class Sizes(NamedTuple):
    """How many rows or changes fit where; tests use small ones."""

    head: int = 100
    buffer: int = 48
    recent: int | None = None
    page: int | None = None
    bucket: int = 2_000

    def recent_changes(self, total: int) -> int:
        """Return how many changes wait before they are worked into the pages."""
        return max(500, min(10_000, total // 50)) if self.recent is None else self.recent

    def page_rows(self, total: int) -> int:
        """Return how many rows a page has."""
        if self.page is not None:
            return self.page
        return LARGE_PAGE_ROWS if total > LARGE_BOARD else PAGE_ROWS


SIZES = Sizes()


class Columns(NamedTuple):
    """What the rows of a board have: the order, all metrics, and whether labels have rows."""

    order: RankOrder
    metrics: tuple[str, ...]
    has_labels: bool = False


class BuiltBoard(NamedTuple):
    """A board from all its rows: its objects, name → bytes, and what the head shows of it."""

    objects: dict[str, bytes]
    rows: Rows
    pages: HeadPages | None
    total: int
    counts: Counts
    histogram: dict[str, Histogram]


def build(rows: Collection[Row], columns: Columns, *, sequence: int, sizes: Sizes = SIZES) -> BuiltBoard:
    """Return the board of these rows, which may be in any order."""
    ordered = sorted(rows, key=lambda row: row.place(columns.order))
    objects: dict[str, bytes] = {}
    pages = None
    if len(ordered) > sizes.head:

        def write(named: NamedObject) -> None:
            objects[named.name] = named.body

        directory = write_pages(ordered, columns, sequence=sequence, sizes=sizes, write=write)
        following = store_place(ordered[sizes.head].place(columns.order))
        pages = HeadPages(directory=directory, next=following)
    return BuiltBoard(
        objects=objects,
        rows=show_rows(rank_first_rows(ordered, columns.order, sizes.head), columns),
        pages=pages,
        total=len(ordered),
        counts=Counts(
            players=len({row.player for row in ordered}), submissions=sum(row.submissions for row in ordered)
        ),
        histogram=count_metrics(ordered, columns.metrics),
    )


def write_pages(ordered: Sequence[Row], columns: Columns, *, sequence: int, sizes: Sizes, write: WriteObject) -> str:
    """Write pages and places of all rows, in order; return the directory's name."""
    lines = []
    for group in batched(ordered, sizes.page_rows(len(ordered)), strict=False):
        page = PageRows.of(group, columns.metrics, has_labels=columns.has_labels)
        lines.append(write_page(page, columns.order, sequence=sequence, write=write))
    buckets = count_buckets(len(ordered), bucket_rows=sizes.bucket)
    places = []
    for rows in split_places(ordered, buckets):
        named = name_object(ObjectKind.PLACES, encode_places(rows, columns.metrics), sequence=sequence)
        write(named)
        places.append(named.name)
    body = encode_directory(Directory(tuple(lines), tuple(places), columns.metrics))
    named = name_object(ObjectKind.DIRECTORY, body, sequence=sequence)
    write(named)
    return named.name


def write_page(page: PageRows, order: RankOrder, *, sequence: int, write: WriteObject) -> PageLine:
    """Write a page and return its line of the directory."""
    named = name_object(ObjectKind.PAGE, encode_page(page), sequence=sequence)
    write(named)
    first, last = page.place(0, order), page.place(len(page) - 1, order)
    return PageLine(
        name=named.name,
        rows=len(page),
        first=first,
        last=last,
        lead=_count_equal(page, order, range(len(page))),
        tail=_count_equal(page, order, range(len(page) - 1, -1, -1)),
    )


def rank_first_rows(ordered: Sequence[Row], order: RankOrder, length: int) -> list[RankedRow]:
    """Return the first rows of a board with their ranks.

    `ordered` has one more row, unless the board has none: it may share the last rank.
    """
    keys = [order.key(row.scores) for row in ordered[: length + 1]]
    ranked: list[RankedRow] = []
    for index, row in enumerate(ordered[:length]):
        same = index > 0 and keys[index] == keys[index - 1]
        tied = same or (index + 1 < len(keys) and keys[index] == keys[index + 1])
        ranked.append(RankedRow(ranked[-1].rank if same else index + 1, tied, row))
    return ranked


def show_rows(ranked: Sequence[RankedRow], columns: Columns) -> Rows:
    """Return rows as a head shows them, without deltas."""
    rows = [each.row for each in ranked]
    return Rows(
        player=tuple(row.player for row in rows),
        name=tuple(row.name for row in rows),
        kind=tuple(PlayerKind(row.kind) for row in rows),
        verified=tuple(row.verified for row in rows),
        rank=tuple(each.rank for each in ranked),
        tied=tuple(each.tied for each in ranked),
        scores={metric: tuple(row.scores.get(metric) for row in rows) for metric in columns.metrics},
        submissions=tuple(row.submissions for row in rows),
        at=tuple(int(time_of(row.submission).timestamp() * 1000) for row in rows),
        submission=tuple(row.submission for row in rows),
        label=tuple(row.label or "" for row in rows) if columns.has_labels else (),
    )


def count_metrics(rows: Collection[Row], metrics: Sequence[str]) -> dict[str, Histogram]:
    """Return the histogram of each metric that has values."""
    histograms = {}
    for metric in metrics:
        values = [value for row in rows if (value := row.scores.get(metric)) is not None]
        if (histogram := count_values(values)) is not None:
            histograms[metric] = histogram
    return histograms


def store_place(place: Place) -> StoredPlace:
    """Return a place as a head stores it."""
    key, submission, row_id = place.to_json()
    return tuple(key), submission, row_id


def _count_equal(page: PageRows, order: RankOrder, indexes: range) -> int:
    """Return how many rows in a row share the key of the first of these."""
    key = page.place(indexes[0], order).key
    return next((number for number, index in enumerate(indexes) if page.place(index, order).key != key), len(page))
