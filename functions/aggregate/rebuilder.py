"""Rebuilds boards from the records of their submissions. Safe while results come in."""

from collections.abc import Collection, Iterable, Iterator
from itertools import batched, chain
from typing import NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.windows import WindowKeeper
from aggregate.board import order_rows
from aggregate.paging import show_rows
from scoring_core.benchmarks.boards import read_row_id
from scoring_core.ranking.accumulators import ScoredSubmission, fold_standing
from storage.boards.entries import BoardEntry, keep_newest
from storage.boards.models import Rows
from storage.boards.published import PublishedBoard
from storage.boards.standings import BoardKey, Columns, PlayerStanding
from storage.submissions.models import NAMELESS

BATCH = 100
"""Records that are delivered at once."""


class Rebuilder(NamedTuple):
    """Restores what was lost of a version's standings and entries; it takes nothing away."""

    aggregator: Aggregator

    def rebuild(self, main: BoardKey, *, after: str = "") -> Iterator[str]:
        """Fold the records of a version again, and yield their submissions.

        With `after` only those of later submissions.

        The standings come first, from the entries that exist: what a standing holds without an entry would be folded
        twice. It can be interrupted, and repeated, at any time.
        """
        self.aggregator.refold(main, anyway=True)
        defined = self.aggregator.benchmarks.current(main.benchmark, fresh=True).get_version(main.version)
        windows = WindowKeeper(self.aggregator).list_instances(defined) if defined else []
        if windows:
            self.aggregator.refold(main, [board.key for board in windows], anyway=True)
        yield from self.deliver_records(main, after=after)

    def deliver_records(self, main: BoardKey, *, after: str = "") -> Iterator[str]:
        """Deliver every record of a version, as its stream does, and yield the submission."""
        records = self.aggregator.submissions.all_records(main.benchmark, version=main.version, after=after)
        for batch in batched(records, BATCH, strict=False):
            for error in self.aggregator.fold_standings(main, batch).failed.values():
                raise error
            yield from (record.submission.id for record in batch)

    def fold(self, published: PublishedBoard, entries: Iterable[BoardEntry], banned: Collection[str]) -> Rows:
        """Return the rows that a board has of these entries, without banned players."""
        rules = published.board.rules
        by_row: dict[str, list[BoardEntry]] = {}
        for entry in entries:
            row = published.find_row(entry)
            if row is not None and entry.player.id not in NAMELESS and entry.player.id not in banned:
                by_row.setdefault(row, []).append(entry)
        standings = []
        for row, own in by_row.items():
            counted = (ScoredSubmission(entry.submission, entry.scores) for entry in own if entry.counts)
            standing = fold_standing(counted, rules)
            if standing is not None:
                last = max(own, key=lambda entry: entry.submission)
                standings.append(PlayerStanding(last.player, standing, label=read_row_id(row).label))
        return order_rows(standings, rules=rules)

    def read_rows(self, benchmark: str) -> Rows:
        """Return all rows that a board shows now; none if it was never published."""
        board = self.aggregator.reader.find(benchmark)
        if board is None:
            return Rows()
        columns = Columns(board.view.order, tuple(board.head.rows.scores), board.head.ranking.rows == "label")
        return show_rows(list(board.view.all_rows()), columns)

    def list_entries(self, main: BoardKey) -> list[BoardEntry]:
        """Return the newest entry of each submission of a version, whatever is left of it."""
        aggregator = self.aggregator
        stored = aggregator.folder.entries.list_all(main)
        records = aggregator.submissions.all_records(main.benchmark, version=main.version)
        defined = aggregator.benchmarks.latest(main.benchmark).get_version(main.version)
        judge = defined.judge_entry if defined else lambda entry: entry
        recorded = (
            entry
            for batch in batched(records, BATCH, strict=False)
            for entry in map(judge, aggregator.entries.read_all(batch))
            if not entry.waits
        )
        return list(keep_newest(chain(stored, recorded)).values())
