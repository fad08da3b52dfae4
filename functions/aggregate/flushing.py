"""Works changes into the pages and places of a board that they touch."""

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import batched
from typing import NamedTuple

from aggregate.paged_board import PagedBoard, TornPage
from aggregate.paging import Sizes, describe_page
from scoring_core.ranking.standings import Place
from storage.boards.pages import (
    Changes,
    Directory,
    ObjectKind,
    PageLine,
    Row,
    Stamp,
    bucket_of,
    decode_page,
    decode_places,
    encode_directory,
    encode_page,
    encode_places,
    place_row,
)

SPLIT = 1.5
"""A page with more than so many times its rows is split."""
JOIN = 0.25
"""A page with less than such a part of its rows is joined with the next one."""


class TouchedPage(NamedTuple):
    """What happens to a page."""

    number: int
    leaving: Sequence[Place]
    coming: Sequence[Row]


class WorkedPage(NamedTuple):
    """What became of a page: written pages, or rows that are too few for a page of their own."""

    lines: Sequence[PageLine] = ()
    rest: Sequence[Row] = ()


class Flush(NamedTuple):
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

    def _place(self, row: Row) -> Place:
        return row.place(self.board.columns.order)

    def _write_object(self, kind: ObjectKind, body: bytes) -> str:
        """Write an object and return its name."""
        named = self.stamp.name(kind, body)
        self.board.snapshots.write_object(self.board.shown.head.folder, named)
        return named.name

    def _list_touched(self) -> dict[int, TouchedPage]:
        """Return what happens to which page, by its number."""
        starts = [line.first for line in self.board.directory.pages]

        def page_of(place: Place) -> int:
            return max(0, bisect_right(starts, place) - 1)

        leaving, coming = defaultdict[int, list[Place]](list), defaultdict[int, list[Row]](list)
        for change in self.changes.values():
            if change.base is not None:
                leaving[page_of(change.base)].append(change.base)
            if change.row is not None:
                coming[page_of(self._place(change.row))].append(change.row)
        numbers = sorted(leaving.keys() | coming.keys())
        return {number: TouchedPage(number, leaving[number], coming[number]) for number in numbers}

    def _work_in(self, touched: TouchedPage) -> WorkedPage:
        """Write a page without the rows that leave it, and with those that come."""
        name = self.board.directory.pages[touched.number].name
        page = decode_page(self.board.read(name))
        for place in touched.leaving:
            index = bisect_left(page, place, key=self._place)
            if index == len(page) or self._place(page[index]) != place:
                raise TornPage(f"{name} lacks {place.row}")
            del page[index]
        for row in touched.coming:
            insort(page, row, key=self._place)
        if len(page) < self._page_rows * JOIN:
            return WorkedPage(rest=page)
        return WorkedPage(lines=list(self._write(page)))

    def _join(self, worked: Mapping[int, WorkedPage]) -> Iterator[PageLine]:
        """Yield the lines of all pages; those with too few rows join the next."""
        rest: list[Row] = []
        for number, line in enumerate(self.board.directory.pages):
            page = worked.get(number, WorkedPage(lines=(line,)))
            rest += page.rest
            if rest and page.lines:
                rest += decode_page(self.board.read(page.lines[0].name))
                yield from self._write(rest)
                yield from page.lines[1:]
                rest = []
            else:
                yield from page.lines
            if len(rest) >= self._page_rows * JOIN:
                yield from self._write(rest)
                rest = []
        if rest:
            yield from self._write(rest)

    def _write(self, page: Sequence[Row]) -> Iterator[PageLine]:
        """Write rows, which are in order, as one page, or as several if they are too many."""
        size, columns = self._page_rows, self.board.columns
        parts = 1 if len(page) <= size * SPLIT else math.ceil(len(page) / size)
        for rows in batched(page, math.ceil(len(page) / parts), strict=False):
            body = encode_page(rows, columns.all, has_labels=columns.has_labels)
            yield describe_page(self._write_object(ObjectKind.PAGE, body), rows, columns.order)

    def _write_places(self, rows: int) -> tuple[str, ...]:
        """Write the buckets in which rows changed, and return the names of all."""
        names, columns = list(self.board.directory.places), self.board.columns.placed
        while len(names) * self.sizes.bucket < rows:
            names += names  # each bucket shares its object with its other half until it is written
        shared = {name for name, times in Counter(names).items() if times > 1}
        changed = defaultdict[int, dict[str, Row | None]](dict)
        for row_id, change in self.changes.items():
            changed[bucket_of(row_id, len(names))][row_id] = change.row

        def work_in(bucket: int) -> str:
            places, own = decode_places(self.board.read(names[bucket])), changed[bucket]
            if names[bucket] in shared:
                places = {row_id: each for row_id, each in places.items() if bucket_of(row_id, len(names)) == bucket}
            came = {row_id: place_row(row, columns) for row_id, row in own.items() if row is not None}
            kept = {row_id: each for row_id, each in places.items() if row_id not in own}
            return self._write_object(ObjectKind.PLACES, encode_places({**kept, **came}))

        written = self.board.snapshots.run(work_in, list(changed))
        for bucket, name in zip(changed, written, strict=True):
            names[bucket] = name
        return tuple(names)
