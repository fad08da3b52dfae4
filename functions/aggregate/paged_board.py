"""A board with pages as a head names them, and which of its rows have changed."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from scoring_core.benchmarks.boards import read_row_id
from scoring_core.ranking.standings import Place
from storage.boards.pages import (
    Change,
    Changes,
    Directory,
    PlacedRow,
    Row,
    find_placed_row,
    list_row_ids,
)
from storage.boards.reading import ShownBoard
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import Columns
from storage.gateway.errors import StoreError


class TornPage(StoreError):
    """A page lacks a row that a change says it has: the head has moved on, or the pages are wrong."""


class RowChange(NamedTuple):
    """A row before and now, None if it was or is not on the board, and its place in the pages, None if in none."""

    before: Row | None
    now: Row | None
    base: Place | None = None

    @property
    def change(self) -> Change:
        """What the pages do not show."""
        return Change(self.now, self.base)


class PagedBoard(NamedTuple):
    """A board with pages.

    Args:
        snapshots: Where its objects are.
        shown: What its head shows.
        columns: What its rows have.
    """

    snapshots: SnapshotStore
    shown: ShownBoard
    columns: Columns

    @property
    def directory(self) -> Directory:
        """Its pages."""
        return self.shown.view.directory

    @property
    def changes(self) -> Changes:
        """All that the pages do not show."""
        return self.shown.view.changes

    def read(self, name: str) -> bytes:
        """Read an object. Raises NotFound."""
        return self.snapshots.read_object(self.shown.head.folder, name)

    def find_changed(self, now: Mapping[str, Row | None]) -> dict[str, RowChange]:
        """Return which of these rows are not shown as they are now, None if they left."""
        changed = {}
        placed = self._find_placed([row_id for row_id in now if row_id not in self.changes])
        for row_id, row in now.items():
            if row_id in self.changes:
                before, base = self.changes[row_id].row, self.changes[row_id].base
            elif (stored := placed.get(row_id)) is not None:
                base = self.columns.order.place(stored.scores, stored.submission, row_id)
                before = self._complete(row_id, stored, row, base)
            else:
                before, base = None, None
            if before != row:
                changed[row_id] = RowChange(before, row, base)
        return changed

    def count_players(self, changed: Mapping[str, RowChange]) -> int:
        """Return how many more players a board of labels has after changes."""
        came = {row_id for row_id, each in changed.items() if (each.before is None) != (each.now is None)}
        players = {read_row_id(row_id).player for row_id in came}
        shown: dict[str, set[str]] = defaultdict(set)
        for row_id, change in self.changes.items():
            if change.row is not None and (player := read_row_id(row_id).player) in players:
                shown[player].add(row_id)
        for player in sorted(players):
            row_ids = list_row_ids(self.shown.read_places(self.shown.find_bucket(player)), player)
            shown[player] |= {row_id for row_id in row_ids if row_id not in self.changes}
        more = 0
        for player in players:
            own = set(list_row_ids(came, player))
            now = {row_id for row_id in own if changed[row_id].now is not None} | (shown[player] - own)
            more += bool(now) - bool(shown[player])
        return more

    def _complete(self, row_id: str, stored: PlacedRow, now: Row | None, base: Place) -> Row:
        """Return a row of the pages, of which places store no name and kind."""
        same = now and stored == PlacedRow(
            now.submission,
            now.submissions,
            {name: now.scores[name] for name in self.directory.metrics if name in now.scores},
        )
        if now is not None and not same:
            return now._replace(submission=stored.submission, submissions=stored.submissions, scores=stored.scores)
        if now is None:
            player = read_row_id(row_id).player
            return Row(player, "", "", False, None, stored.scores, stored.submissions, stored.submission)  # noqa: FBT003  # not verified
        view = self.shown.view
        page = view.read_page(self.directory.pages[view.find_page(base)].name)
        row = next((row for row in page if row.id == row_id), None)
        if row is None:
            raise TornPage(f"no page has {row_id}, which is in its bucket of places")
        return row

    def _find_placed(self, row_ids: Collection[str]) -> dict[str, PlacedRow]:
        """Return what the places store of rows, without those that the pages do not have."""
        by_bucket: dict[str, list[str]] = defaultdict(list)
        for row_id in sorted(row_ids):
            by_bucket[self.shown.find_bucket(row_id)].append(row_id)
        buckets = self.snapshots.run(self.shown.read_places, list(by_bucket))
        metrics = self.directory.metrics
        return {
            row_id: placed
            for places, own in zip(buckets, by_bucket.values(), strict=True)
            for row_id in own
            if (placed := find_placed_row(places, row_id, metrics)) is not None
        }
