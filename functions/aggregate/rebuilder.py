"""Rebuilds boards from the records of their submissions. Safe while results come in."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched

from aggregate.aggregator import Aggregator, list_board_keys
from aggregate.board import order_rows
from scoring_core.benchmarks.boards import read_row_id
from scoring_core.ranking.standings import Contribution, fold_standing
from storage.aws.errors import NotFound
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.entries import BoardEntry, BoardEntryStore, join_contributions, keep_newest
from storage.boards.models import Rows
from storage.boards.standings import BoardKey, PlayerStanding
from storage.submissions.models import NAMELESS

BATCH = 100
"""Records that are delivered at once."""


@dataclass(frozen=True, slots=True)
class Rebuilder:
    """Restores what was lost of a version's standings and entries; it takes nothing away."""

    aggregator: Aggregator

    def rebuild(self, main: BoardKey) -> Iterator[str]:
        """Fold every record of a version again, and yield its submission.

        The standings come first, from the entries that exist: what a standing holds without an entry would be folded
        twice. It can be interrupted, and repeated, at any time.
        """
        self.aggregator.fold_standings(main, None, anyway=True)
        yield from self.deliver_records(main)

    def deliver_records(self, main: BoardKey) -> Iterator[str]:
        """Deliver every record of a version, as its stream does, and yield the submission."""
        records = self.aggregator.submissions.all_records(main.benchmark, version=main.version)
        for batch in batched(records, BATCH, strict=False):
            self.aggregator.fold_standings(main, batch)
            yield from (record.submission.id for record in batch)

    def preview(self, main: BoardKey) -> Rows:
        """Return the rows of a main board after a rebuild, and write nothing.

        They follow from the definition of a standing, not from accumulators. Raises NotFound.
        """
        defined = self.aggregator.benchmarks.current(main.benchmark, fresh=True).get_version(main.version)
        if defined is None:
            raise NotFound(f"{main}: this version is neither current nor next")
        ranking, score_type = defined.definition.ranking, defined.definition.score_type
        by_row: dict[str, list[BoardEntry]] = {}
        for entry in self._list_entries(main, defined):
            if entry.player.id not in NAMELESS:
                by_row.setdefault(entry.row, []).append(entry)
        standings = []
        for entries in by_row.values():
            counted = [
                Contribution(entry.submission, part, scores)
                for entry in entries
                if entry.counts
                for part, scores in entry.scores.items()
            ]
            standing = fold_standing(counted, ranking=ranking, score_type=score_type, parts=defined.parts)
            if standing is not None:
                last = max(entries, key=lambda entry: entry.submission)
                standings.append(PlayerStanding(last.player, standing, label=last.label))
        return order_rows(standings, ranking=ranking, score_type=score_type)

    def read_rows(self, benchmark: str) -> Rows:
        """Return all rows that a board shows now; none if it was never published."""
        snapshots = self.aggregator.snapshots
        head = snapshots.read_head(benchmark)
        if head is None:
            return Rows()
        try:
            return snapshots.read_rows(head.value.rows_url)
        except NotFound:  # newer code wrote the head, or the rows file is lost
            return head.value.rows

    def _list_entries(self, main: BoardKey, defined: PublishedBenchmark) -> list[BoardEntry]:
        """Return the newest entry of each submission, whatever is left of it."""
        aggregator = self.aggregator
        stored = BoardEntryStore(aggregator.standings.table).list_all(main)
        contributed = join_contributions(aggregator.standings.all_contributions(main))
        recorded: list[BoardEntry] = []
        for batch in batched(
            aggregator.submissions.all_records(main.benchmark, version=main.version), BATCH, strict=False
        ):
            for record, entry in zip(batch, aggregator.entries.read_all(batch), strict=True):
                rows = [row for published, row in list_board_keys(defined, record) if published.key == main]
                recorded += (entry._replace(label=read_row_id(row).label) for row in rows)
        return list(keep_newest([*contributed, *stored, *recorded]).values())
