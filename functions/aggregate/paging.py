"""From the rows of a board to the objects under its head. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import batched, groupby
from typing import NamedTuple

from scoring_core.ranking.standings import Place, RankOrder
from storage.boards.models import Counts, Rows
from storage.boards.pages import (
    BUCKET_ROWS,
    LARGE_BOARD,
    LARGE_PAGE_ROWS,
    PAGE_ROWS,
    Directory,
    NamedObject,
    ObjectKind,
    PageLine,
    Row,
    Stamp,
    encode_directory,
    encode_page,
    encode_places,
    split_places,
)
from storage.boards.standings import Columns
from storage.boards.views import RankedRow
from storage.keys import milliseconds_of
from storage.submissions.models import PlayerKind


class LeadingRows(NamedTuple):
    """The first rows of a board, and the place of the one after them; None if they are all."""

    rows: Sequence[Row]
    following: Place | None


class Sizes(NamedTuple):
    """How many rows or changes fit where; tests use small ones."""

    head: int = 100
    buffer: int = 48
    recent: int | None = None
    page: int | None = None
    bucket: int = BUCKET_ROWS

    def recent_changes(self, total: int) -> int:
        """Return how many changes wait before they are worked into the pages."""
        return max(500, min(10_000, total // 50)) if self.recent is None else self.recent

    def page_rows(self, total: int) -> int:
        """Return how many rows a page has."""
        if self.page is not None:
            return self.page
        return LARGE_PAGE_ROWS if total > LARGE_BOARD else PAGE_ROWS


SIZES = Sizes()


def make_objects(ordered: Sequence[Row], columns: Columns, *, stamp: Stamp, sizes: Sizes) -> Iterator[NamedObject]:
    """Yield all objects of rows, which are in order; the directory comes last."""
    lines, places, buckets = list[PageLine](), list[str](), 1
    for group in batched(ordered, sizes.page_rows(len(ordered)), strict=False):
        named = stamp.name(ObjectKind.PAGE, encode_page(group, columns.all, has_labels=columns.has_labels))
        lines.append(describe_page(named.name, group, columns.order))
        yield named
    while buckets * sizes.bucket < len(ordered):
        buckets *= 2
    for bucket in split_places(ordered, buckets, columns.placed):
        named = stamp.name(ObjectKind.PLACES, encode_places(bucket))
        places.append(named.name)
        yield named
    yield stamp.name(ObjectKind.DIRECTORY, encode_directory(Directory(tuple(lines), tuple(places), columns.placed)))


def describe_page(name: str, rows: Sequence[Row], order: RankOrder) -> PageLine:
    """Return the line of a page in the directory."""
    return PageLine(
        name=name,
        rows=len(rows),
        first=rows[0].place(order),
        last=rows[-1].place(order),
        lead=_count_equal(rows, order),
        tail=_count_equal(reversed(rows), order),
    )


def rank_rows(ordered: Sequence[Row], order: RankOrder, following: Place | None = None) -> list[RankedRow]:
    """Return the first rows of a board with their ranks.

    `following` is the place of the row after them, if there is one: it may share the last rank.
    """
    keys = [*(order.key(row.scores) for row in ordered), following and following.key]
    ranked: list[RankedRow] = []
    for index, row in enumerate(ordered):
        same = index > 0 and keys[index] == keys[index - 1]
        tied = same or keys[index] == keys[index + 1]
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
        scores={metric: tuple(row.scores.get(metric) for row in rows) for metric in columns.all},
        submissions=tuple(row.submissions for row in rows),
        at=tuple(milliseconds_of(row.submission) for row in rows),
        submission=tuple(row.submission for row in rows),
        label=tuple(row.label or "" for row in rows) if columns.has_labels else (),
    )


def choose_first_rows(
    before: Sequence[Row], following: Place | None, changed: Mapping[str, Row | None], order: RankOrder, *, length: int
) -> LeadingRows | None:
    """Return the first rows after some rows have changed.

    Args:
        before: The first rows before.
        following: The place of the row after them, None if there was none.
        changed: Row id → the row now, None if it left.
        order: What orders rows.
        length: How many rows to return, if the board has so many.

    Returns:
        None if the pages must be read for them.
    """
    kept = [row for row in before if row.id not in changed]
    came = [row for row in changed.values() if row and (following is None or row.place(order) <= following)]
    rows = sorted([*kept, *came], key=lambda row: row.place(order))
    if len(rows) > length:
        return LeadingRows(rows[:length], rows[length].place(order))
    if following is None:
        return LeadingRows(rows, None)
    if len(rows) < length or following.row in changed:
        return None
    return LeadingRows(rows, following)


def count_rows(rows: Collection[Row]) -> Counts:
    """Return how much is on a board of these rows."""
    return Counts(players=len({row.player for row in rows}), submissions=sum(row.submissions for row in rows))


def _count_equal(rows: Iterable[Row], order: RankOrder) -> int:
    """Return how many rows, from the first on, share its key."""
    _, equal = next(groupby(rows, lambda row: order.key(row.scores)))
    return len(list(equal))
