"""A board as it is now: its pages with all later changes worked in. Exact ranks and ties, over pages too. Pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scoring_core.ranking.standings import Place, RankOrder, end_of, start_of
from storage.boards.pages import Changes, Directory, PageLine, Row


class RankedRow(NamedTuple):
    """A row, its rank, and whether another row shares it."""

    rank: int
    tied: bool
    row: Row


@dataclass(frozen=True)
class BoardView:
    """A board with pages.

    Args:
        order: What orders its rows.
        directory: Its pages.
        changes: All that the pages do not show: the recent changes, then those of the head's buffer.
        read_page: Reads a page by its name.
    """

    order: RankOrder
    directory: Directory
    changes: Changes
    read_page: Callable[[str], Sequence[Row]]

    @cached_property
    def came(self) -> list[tuple[Place, Row]]:
        """The changed rows that are on the board, in order."""
        rows = ((change.row.place(self.order), change.row) for change in self.changes.values() if change.row)
        return sorted(rows, key=lambda placed: placed[0])

    @cached_property
    def _came(self) -> list[Place]:
        return [place for place, _ in self.came]

    @cached_property
    def _bases(self) -> list[Place]:
        return sorted(change.base for change in self.changes.values() if change.base)

    @cached_property
    def _offsets(self) -> list[int]:
        """How many rows the pages before each page have."""
        offsets = [0]
        for line in self.directory.pages:
            offsets.append(offsets[-1] + line.rows)
        return offsets

    def find_page(self, place: Place) -> int:
        """Return the number of the page that a place belongs to."""
        return max(0, bisect_right(self.directory.pages, place, key=lambda line: line.first) - 1)

    def count_before(self, place: Place) -> int:
        """Return how many rows come before a place. One page is read at most."""
        changed = bisect_left(self._came, place) - bisect_left(self._bases, place)
        pages = self.directory.pages
        number = self.find_page(place)
        if not pages or place <= pages[number].first:
            return self._offsets[number] + changed
        return self._offsets[number] + self._count_within(pages[number], place) + changed

    def page(self, number: int) -> list[RankedRow]:
        """Return the rows of a page as it is now."""
        pages = self.directory.pages
        start = pages[number].first if number else None
        end = pages[number + 1].first if number + 1 < len(pages) else None
        rows = self._merge(self.read_page(pages[number].name), start, end)
        offset = 0 if start is None else self.count_before(start)
        return self._rank(rows, offset)

    def find_start(self, number: int) -> int:
        """Return how many rows come before a page as it is now. No page is read."""
        return self.count_before(self.directory.pages[number].first) if number else 0

    def rows_from(self, index: int, length: int) -> list[RankedRow]:
        """Return rows from the one at an index on, 0 for the first."""
        numbers = range(len(self.directory.pages))
        number = max(0, bisect_right(numbers, index, key=self.find_start) - 1)
        ranked: list[RankedRow] = []
        skipped = index - self.find_start(number)
        for following in numbers[number:]:
            if len(ranked) >= skipped + length:
                break
            ranked += self.page(following)
        return ranked[skipped : skipped + length]

    def all_rows(self) -> Iterator[RankedRow]:
        """Yield every row, in rank order, a page at a time."""
        for number in range(len(self.directory.pages)):
            yield from self.page(number)

    def _count_within(self, line: PageLine, place: Place) -> int:
        """Return how many rows of a page come before a place.

        Ties at its ends are in its line, so they do not need the page.
        """
        if line.last < place:
            return line.rows
        if place == start_of(line.last.key):
            return line.rows - line.tail
        if place == end_of(line.first.key):
            return line.lead
        return bisect_left(self.read_page(line.name), place, key=lambda row: row.place(self.order))

    def _merge(self, page: Sequence[Row], start: Place | None, end: Place | None) -> list[tuple[Place, Row]]:
        """Return the rows from `start` to before `end`: unchanged ones, and changes."""
        low = 0 if start is None else bisect_left(self._came, start)
        high = len(self._came) if end is None else bisect_left(self._came, end)
        kept = ((row.place(self.order), row) for row in page if row.id not in self.changes)
        return sorted([*kept, *self.came[low:high]], key=lambda placed: placed[0])

    def _rank(self, rows: Sequence[tuple[Place, Row]], offset: int) -> list[RankedRow]:
        """Return neighbouring rows with their ranks; `offset` rows come before them."""
        if not rows:
            return []
        keys = [place.key for place, _ in rows]
        first, last = keys[0], keys[-1]
        ranked = []
        rank = offset + 1 - (self.count_before(rows[0][0]) - self.count_before(start_of(first)))
        for index, (_, row) in enumerate(rows):
            if index and keys[index] != keys[index - 1]:
                rank = offset + 1 + index
            tied = (index > 0 and keys[index] == keys[index - 1]) or (
                index + 1 < len(keys) and keys[index] == keys[index + 1]
            )
            ranked.append(RankedRow(rank, tied or rank <= offset, row))
        if not ranked[-1].tied and self.count_before(end_of(last)) > offset + len(rows):
            ranked[-1] = ranked[-1]._replace(tied=True)
        return ranked
