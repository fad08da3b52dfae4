"""Works changes into the pages and places of a board that they touch."""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aggregate.paged_board import PagedBoard, TornPage
from aggregate.paging import Sizes, describe_page
from scoring_core.ranking.standings import Place
from storage.boards.pages import (
    Changes,
    Directory,
    ObjectKind,
    PageLine,
    PageRows,
    PlacedRow,
    Row,
    Stamp,
    bucket_of,
    decode_page,
    encode_directory,
    encode_page,
)
from storage.boards.places import change_places, find_shared, keep_bucket

SPLIT = 1.5
"""A page with more than so many times its rows is split."""
JOIN = 0.25
"""A page with less than such a part of its rows is joined with the next one."""


class TouchedPage(NamedTuple):
    """What happens to a page."""

    number: int
    leaving: Sequence[Place]
    coming: Sequence[tuple[Place, Row]]


class WorkedPage(NamedTuple):
    """What became of a page: written pages, or rows that are too few for a page of their own."""

    lines: Sequence[PageLine] = ()
    rest: PageRows | None = None


@dataclass(frozen=True, slots=True)
class Flush:
    """One flush of a board's changes.

    Args:
        board: The board before.
        changes: All changes.
        stamp: That of new objects.
        sizes: How many rows fit where.
    """

    board: PagedBoard
    changes: Changes
    stamp: Stamp
    sizes: Sizes

    def run(self) -> str:
        """Write pages, places and directory; return its name. Raises TornPage, NotFound."""
        touched = self._list_touched()
        worked = dict(zip(touched, self.board.snapshots.run(self._work_in, list(touched.values())), strict=True))
        lines = tuple(self._join(worked))
        if not lines:
            raise TornPage("the pages have no row left, although there are some")
        places = self._write_places(sum(line.rows for line in lines))
        directory = Directory(lines, places, self.board.columns.placed)
        return self._write_object(ObjectKind.DIRECTORY, encode_directory(directory))

    @property
    def _page_rows(self) -> int:
        return self.sizes.page_rows(self.board.directory.total)

    def _write_object(self, kind: ObjectKind, body: bytes) -> str:
        """Write an object and return its name."""
        named = self.stamp.name(kind, body)
        self.board.snapshots.write_object(self.board.folder, named)
        return named.name

    def _list_touched(self) -> dict[int, TouchedPage]:
        """Return what happens to which page, by its number."""
        starts = [line.first for line in self.board.directory.pages]

        def page_of(place: Place) -> int:
            return max(0, bisect_right(starts, place) - 1)

        leaving, coming = defaultdict[int, list[Place]](list), defaultdict[int, list[tuple[Place, Row]]](list)
        for change in self.changes.values():
            if change.base is not None:
                leaving[page_of(change.base)].append(change.base)
            if change.row is not None:
                place = change.row.place(self.board.columns.order)
                coming[page_of(place)].append((place, change.row))
        numbers = sorted(leaving.keys() | coming.keys())
        return {number: TouchedPage(number, leaving[number], coming[number]) for number in numbers}

    def _work_in(self, touched: TouchedPage) -> WorkedPage:
        """Write a page without the rows that leave it, and with those that come."""
        order, name = self.board.columns.order, self.board.directory.pages[touched.number].name
        page = decode_page(self.board.read(name))
        for place in touched.leaving:
            index = bisect_left(range(len(page)), place, key=lambda index: page.place(index, order))
            if index == len(page) or page.place(index, order) != place:
                raise TornPage(f"{name} lacks {place.row}")
            page.delete(index)
        for place, row in touched.coming:
            page.insert(bisect_left(range(len(page)), place, key=lambda index: page.place(index, order)), row)
        if len(page) < self._page_rows * JOIN:
            return WorkedPage(rest=page)
        return WorkedPage(lines=self._write(page))

    def _join(self, worked: Mapping[int, WorkedPage]) -> Iterator[PageLine]:
        """Yield the lines of all pages; those with too few rows join the next."""
        rest: PageRows | None = None
        for number, line in enumerate(self.board.directory.pages):
            page = worked.get(number, WorkedPage(lines=(line,)))
            if page.rest is not None:
                rest = _append(rest, page.rest)
            elif rest is None or not len(rest):
                yield from page.lines
            else:
                rest.extend(decode_page(self.board.read(page.lines[0].name)))
                yield from self._write(rest)
                yield from page.lines[1:]
                rest = None
            if rest is not None and len(rest) >= self._page_rows * JOIN:
                yield from self._write(rest)
                rest = None
        if rest is not None and len(rest):
            yield from self._write(rest)

    def _write(self, page: PageRows) -> list[PageLine]:
        """Write rows, which are in order, as one page, or as several if they are too many."""
        size = self._page_rows
        parts = 1 if len(page) <= size * SPLIT else math.ceil(len(page) / size)
        step = math.ceil(len(page) / parts)
        cut = [page.cut(start, start + step) for start in range(0, len(page), step)]
        return [
            describe_page(self._write_object(ObjectKind.PAGE, encode_page(part)), part, self.board.columns.order)
            for part in cut
        ]

    def _write_places(self, rows: int) -> tuple[str, ...]:
        """Write the buckets in which rows changed, and return the names of all."""
        names, columns = list(self.board.directory.places), self.board.columns.placed
        while len(names) * self.sizes.bucket < rows:
            names += names  # each bucket shares its object with its other half until it is written
        shared = find_shared(names)
        changed = defaultdict[int, dict[str, PlacedRow | None]](dict)
        for row_id, change in self.changes.items():
            row = change.row
            placed = row and PlacedRow(row.submission, row.submissions, row.scores)
            changed[bucket_of(row_id, len(names))][row_id] = placed

        def work_in(bucket: int) -> str:
            text = self.board.read(names[bucket]).decode()
            if names[bucket] in shared:
                text = keep_bucket(text, bucket, len(names), columns)
            body = change_places(text, changed[bucket], columns).encode()
            return self._write_object(ObjectKind.PLACES, body)

        written = self.board.snapshots.run(work_in, list(changed))
        for bucket, name in zip(changed, written, strict=True):
            names[bucket] = name
        return tuple(names)


def _append(rest: PageRows | None, page: PageRows) -> PageRows:
    if rest is None:
        return page
    rest.extend(page)
    return rest
