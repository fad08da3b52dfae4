"""From submission records to rendered boards. Delivered twice, late or out of order: nothing changes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aggregate.failures.stalls import BoardGuard
from aggregate.renderer import BoardRenderer, ReadState
from handlers import logger
from scoring_core.benchmarks.boards import MAIN
from storage.aws.errors import Conflict, StoreError, retry_on_conflict
from storage.benchmarks.boards import PublishedBoard, PublishedWindow
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.entries import BoardEntry, RecordedEntries
from storage.boards.folding import StandingFolder
from storage.boards.rendering.stalls import StallStore
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, BoardState, StandingStore
from storage.ids import time_of
from storage.submissions.models import NAMELESS, SubmissionRecord
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore

type _ReadEntry = tuple[SubmissionRecord, BoardEntry]


class Folded(NamedTuple):
    """The boards that are to be rendered, with which of their rows, None: all, and what was seen of these.

    There are none unless the version was current in `published`, which was read before its standings were folded.
    """

    published: PublishedBenchmark
    rows: Mapping[BoardKey, Collection[str] | None]
    states: Mapping[BoardKey, BoardState | None]


@dataclass(frozen=True, slots=True)
class Aggregator:
    """Folds submission records into standings and renders boards."""

    benchmarks: BenchmarkStore
    standings: StandingStore
    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    snapshots: SnapshotStore
    renderer: BoardRenderer

    @property
    def entries(self) -> RecordedEntries:
        """What records contribute, as board entries."""
        return RecordedEntries(self.submissions, self.withdrawals)

    @property
    def folder(self) -> StandingFolder:
        """Folds board entries into standings."""
        return StandingFolder(self.standings.table)

    @property
    def guard(self) -> BoardGuard:
        """Sets boards aside that go on failing."""
        return BoardGuard(StallStore(self.standings.table), self.renderer, self.snapshots)

    def update(self, main: BoardKey, records: Sequence[SubmissionRecord] | None) -> bool:
        """Fold records into the standings of a version; render it if it is current.

        Args:
            main: The main board of the version.
            records: What was delivered of it; None: fold everybody by the present rules and render all rows.

        Returns:
            Whether the version is current and all its boards are rendered. One that is set aside is not.

        Raises:
            ExceptionGroup: Some boards failed, and the records must be delivered again for them. They keep no other
                board back.
        """
        failed: dict[BoardKey, Exception] = {}
        if not records:
            published, changed, states = self.fold_standings(main, None)
        else:
            try:
                published, changed, states = self.fold_standings(main, records, failed=failed)
            except Exception as error:
                # This is of no board in particular, so the stall of the main one stands for all.
                logger.exception("records could not be folded", extra={"board": str(main)})
                failed[main], changed = error, {}
        # The batch has the same first record, and so the same name, when its stream delivers it again.
        name = records[0].submission.id if records else None
        for key in sorted(changed, key=lambda key: key.board == MAIN):
            if changed[key] is not None and not changed[key]:
                continue
            state = states.get(key)
            seen = None if state is None else ReadState(published, state)
            try:
                self.renderer.render(key, changed[key], name=name, seen=seen)
            except Exception as error:
                if not records:
                    raise
                logger.exception("a board could not be rendered", extra={"board": str(key)})
                failed.setdefault(key, error)
        left = [error for key, error in failed.items() if self.guard.set_aside(key, error, records or ())]
        if left:
            raise ExceptionGroup("not all boards could be rendered", left)
        return bool(changed) and not failed

    def fold_standings(
        self,
        main: BoardKey,
        records: Sequence[SubmissionRecord] | None,
        *,
        only: Collection[BoardKey] | None = None,
        anyway: bool = False,
        failed: dict[BoardKey, Exception] | None = None,
    ) -> Folded:
        """Fold records, or everybody, by the present rules of a version.

        The next version is folded too, so that its boards are complete when it becomes current. Others are not: if one
        is published again, every record is folded before it becomes current.

        Args:
            main: The main board of the version.
            records: As of `update`. Without them, only those windows are folded that `only` names.
            only: Into which boards, instances of windows, or with records whole windows; None: into all that take them.
            anyway: Whether all entries of everybody are read, even if the rules are those of before.
            failed: Gets the boards into which records could not be folded; without it, the first error is raised.

        Raises NotFound if the benchmark is not published, Busy.
        """
        # Withdrawals are read each time, so a withdrawn submission stays off, whatever is delivered later.
        read, unread = self._read_entries(main, records or (), is_strict=failed is None)

        def attempt() -> Folded:
            if failed is not None:
                failed.clear()
                failed.update(unread)
            # Look at what is published now: a player without a standing has no number that would reveal newer rules.
            published = self.benchmarks.latest(main.benchmark)
            defined = published.get_version(main.version)
            if defined is None:
                return Folded(published, {}, {})
            boards = [board for board in defined.boards if only is None or board.key in only]
            windows = [window for window in defined.windows if only is None or window.key in only]
            changed: dict[BoardKey, Collection[str] | None] = {}
            states: dict[BoardKey, BoardState | None] = {}
            if records is None:
                instances = (defined.find_board(key.board) for key in only or ())
                boards += (board for board in instances if board and board.board.span and board.key in (only or ()))
                for key, board, revision in boards:
                    self.folder.refold_all(key, rules=board.rules, publish_number=revision, anyway=anyway)
                    changed[key] = None
            else:
                for published_board, delivered in _sort_by_board(boards, windows, read):
                    key = published_board.key
                    states[key], changed[key] = self._fold(published_board, delivered, failed)
            # Look again: if this version was promoted since, its boards lack these standings.
            if published.version != main.version:
                published = self.benchmarks.latest(main.benchmark)
            return Folded(published, changed if published.version == main.version else {}, states)

        return retry_on_conflict(attempt, what=f"standings of {main}")

    def _read_entries(
        self, main: BoardKey, records: Sequence[SubmissionRecord], *, is_strict: bool
    ) -> tuple[list[_ReadEntry], dict[BoardKey, Exception]]:
        """Return records with their entries, and the error of those that have none.

        A withdrawal or an acceptance that cannot be read keeps no other record back, unless `is_strict`. It is of no
        board in particular, so the error is the main one's.
        """
        try:
            return list(zip(records, self.entries.read_all(records), strict=True)), {}
        except Exception as error:
            if is_strict or isinstance(error, StoreError):  # the store fails for every record
                raise
        read: list[_ReadEntry] = []
        unread: dict[BoardKey, Exception] = {}
        for record in records:
            try:
                read += [(record, entry) for entry in self.entries.read_all([record])]
            except StoreError:
                raise
            except Exception as error:
                logger.exception("an entry could not be read", extra={"submission": record.submission.id})
                unread[main] = error
        return read, unread

    def _fold(
        self, published: PublishedBoard, delivered: Sequence[BoardEntry], failed: dict[BoardKey, Exception] | None
    ) -> tuple[BoardState | None, Collection[str]]:
        """Fold entries into a board; return the state of its rows, if known, and the rows.

        If that fails each row is folded by itself: what is stored of one player then keeps no other one back.
        """
        by_row: dict[str, list[BoardEntry]] = {}
        for entry in delivered:
            by_row.setdefault(entry.row, []).append(entry)
        key, rules, number = published.key, published.board.rules, published.revision
        try:
            return self.folder.fold(key, delivered, rules=rules, publish_number=number), by_row.keys()
        except Conflict:
            raise
        except Exception as error:
            if failed is None:
                raise
            failed[key] = error
            logger.exception("entries could not be folded", extra={"board": str(key)})
            if isinstance(error, StoreError) or len(by_row) == 1:  # the store fails for every row
                return None, ()
        rows = []
        for row, entries in by_row.items():
            try:
                self.folder.fold(key, entries, rules=rules, publish_number=number)
            except Conflict:
                raise
            except Exception:
                logger.exception("a row could not be folded", extra={"board": str(key), "row": row})
            else:
                rows.append(row)
        return None, rows


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
    read: Sequence[_ReadEntry],
) -> list[tuple[PublishedBoard, list[BoardEntry]]]:
    """Return the entries of records under the boards on which they count."""
    by_board: dict[BoardKey, tuple[PublishedBoard, list[BoardEntry]]] = {}
    for record, entry in read:
        instances = (window.find_at(time_of(record.submission.id)) for window in windows)
        for published, assigned in assign_entry(entry, record, [*boards, *filter(None, instances)]):
            _, delivered = by_board.setdefault(published.key, (published, []))
            delivered.append(assigned)
    return list(by_board.values())
