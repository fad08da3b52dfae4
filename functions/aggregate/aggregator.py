"""From submission records to published boards. Delivered twice, late or out of order: nothing changes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from aggregate.publisher import Publisher, Seen
from scoring_core.benchmarks.boards import MAIN
from storage.aws.errors import retry_on_conflict
from storage.benchmarks.boards import PublishedBoard, PublishedWindow
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.entries import BoardEntry, RecordedEntries
from storage.boards.folding import StandingFolder, WrittenEntries
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, BoardState, StandingStore
from storage.ids import time_of
from storage.submissions.models import NAMELESS, SubmissionRecord
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore


class Folded(NamedTuple):
    """The boards that are to be published, with which of their rows, None: all, and what was seen of these.

    There are none unless the version was current in `published`, which was read before its standings were folded.
    """

    published: PublishedBenchmark
    rows: Mapping[BoardKey, Collection[str] | None]
    states: Mapping[BoardKey, BoardState]


@dataclass(frozen=True, slots=True)
class Aggregator:
    """Folds submission records into standings and publishes boards."""

    benchmarks: BenchmarkStore
    standings: StandingStore
    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    snapshots: SnapshotStore
    publisher: Publisher
    written: WrittenEntries = field(default_factory=WrittenEntries)

    @property
    def entries(self) -> RecordedEntries:
        """What records contribute, as board entries."""
        return RecordedEntries(self.submissions, self.withdrawals)

    @property
    def folder(self) -> StandingFolder:
        """Folds board entries into standings."""
        return StandingFolder(self.standings.table, self.entries.find, written=self.written)

    def update(self, main: BoardKey, records: Sequence[SubmissionRecord] | None) -> bool:
        """Fold records into the standings of a version; publish it if it is current.

        Args:
            main: The main board of the version.
            records: What was delivered of it; None: fold everybody by the present rules and publish all rows.

        Returns:
            Whether the version is current. Raises NotFound if the benchmark is not published, Busy.
        """
        published, changed, states = self.fold_standings(main, records)
        # The batch has the same first record, and so the same name, when its stream delivers it again.
        name = records[0].submission.id if records else None
        for key in sorted(changed, key=lambda key: key.board == MAIN):
            seen = Seen(published, states[key]) if key in states else None
            self.publisher.publish(key, changed[key], name=name, seen=seen)
        return bool(changed)

    def fold_standings(
        self,
        main: BoardKey,
        records: Sequence[SubmissionRecord] | None,
        *,
        only: Collection[BoardKey] | None = None,
        anyway: bool = False,
    ) -> Folded:
        """Fold records, or everybody, by the present rules of a version.

        The next version is folded too, so that its boards are complete when it becomes current. Others are not: if one
        is published again, every record is folded before it becomes current.

        Args:
            main: The main board of the version.
            records: As of `update`. Without them, only those windows are folded that `only` names.
            only: Into which boards, instances of windows, or with records whole windows; None: into all that take them.
            anyway: Whether all entries of everybody are read, even if the rules are those of before.

        Raises NotFound if the benchmark is not published, Busy.
        """
        # Withdrawals are read each time, so a withdrawn submission stays off, whatever is delivered later.
        entries = self.entries.read_all(records or ())

        def attempt() -> Folded:
            # Look at what is published now: a player without a standing has no number that would reveal newer rules.
            published = self.benchmarks.latest(main.benchmark)
            defined = published.get_version(main.version)
            if defined is None:
                return Folded(published, {}, {})
            boards = [board for board in defined.boards if only is None or board.key in only]
            windows = [window for window in defined.windows if only is None or window.key in only]
            changed: dict[BoardKey, Collection[str] | None] = {}
            states: dict[BoardKey, BoardState] = {}
            if records is None:
                instances = (defined.find_board(key.board) for key in only or ())
                boards += (board for board in instances if board and board.board.span and board.key in (only or ()))
                for key, board, revision in boards:
                    self.folder.refold_all(key, rules=board.rules, publish_number=revision, anyway=anyway)
                    changed[key] = None
            else:
                for (key, board, revision), delivered in _sort_by_board(boards, windows, records, entries):
                    states[key] = self.folder.fold(key, delivered, rules=board.rules, publish_number=revision)
                    changed[key] = {entry.row for entry in delivered}
            # Look again: if this version was promoted since, its boards lack these standings.
            if published.version != main.version:
                published = self.benchmarks.latest(main.benchmark)
            return Folded(published, changed if published.version == main.version else {}, states)

        return retry_on_conflict(attempt, what=f"standings of {main}")


def assign_entry(
    entry: BoardEntry, record: SubmissionRecord, boards: Sequence[PublishedBoard]
) -> list[tuple[PublishedBoard, BoardEntry]]:
    """Return the boards that a record counts on, each with its entry there.

    Guests without a name share one that only counts, even where each label has a row. A record that waits for the owner
    counts on none, and a withdrawal of it shows nowhere: no board ever had it.
    """
    player, label = record.submission.player.id, record.submission.label
    return [
        (
            published,
            entry._replace(label=None if player in NAMELESS else published.board.find_row(player, label).label),
        )
        for published in boards
        if published.takes(record) and not entry.waits
    ]


def _sort_by_board(
    boards: Sequence[PublishedBoard],
    windows: Sequence[PublishedWindow],
    records: Sequence[SubmissionRecord],
    entries: Sequence[BoardEntry],
) -> list[tuple[PublishedBoard, list[BoardEntry]]]:
    """Return the entries of records under the boards on which they count."""
    by_board: dict[BoardKey, tuple[PublishedBoard, list[BoardEntry]]] = {}
    for record, entry in zip(records, entries, strict=True):
        instances = (window.find_at(time_of(record.submission.id)) for window in windows)
        for published, assigned in assign_entry(entry, record, [*boards, *filter(None, instances)]):
            _, delivered = by_board.setdefault(published.key, (published, []))
            delivered.append(assigned)
    return list(by_board.values())
