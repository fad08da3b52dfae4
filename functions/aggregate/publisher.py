"""Publishes boards: new immutable objects first, then by compare-and-swap the head that names them, then the badge."""

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from aggregate.badge import make_badge
from aggregate.board import make_index_entry
from aggregate.flushing import TornPage
from aggregate.paging import SIZES, Sizes
from aggregate.publishing import Publishing
from scoring_core.benchmarks.boards import MAIN
from storage.aws.bucket import Versioned
from storage.aws.errors import MAX_TRIES, Busy, Conflict, NotFound, retry_on_conflict
from storage.benchmarks.boards import PublishedBoard
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.models import Head, Index, PreviousHead
from storage.boards.pages import MAX_WHOLE_ROWS
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, StandingStore
from storage.ids import Clock, Randomness


class _Attempted(NamedTuple):
    """What became of an attempt: whether the board is published, and whether a new head was written for it."""

    is_published: bool
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class Publisher:
    """Writes what the browser reads. An older head never replaces a newer one, and all that a head names exists.

    Args:
        benchmarks: The published benchmarks.
        standings: The boards table.
        snapshots: The site bucket.
        clock: The time.
        sizes: How many rows and changes fit where.
        randomness: Makes the names of objects unlike those of other attempts.
        written: The heads that this process wrote last. Where one is still there, it does not have to be read.
    """

    benchmarks: BenchmarkStore
    standings: StandingStore
    snapshots: SnapshotStore
    clock: Clock
    sizes: Sizes = SIZES
    randomness: Randomness = os.urandom
    written: dict[BoardKey, Versioned[Head]] = field(default_factory=dict, compare=False)

    def publish(self, board: BoardKey, rows: Collection[str] | None) -> bool:
        """Publish a board after the standings of these rows have changed.

        Args:
            board: The board; nothing is published unless its version is current.
            rows: Whose standings may have changed; None: all. If the board is new, or ranks differently than before,
                all standings are read.

        Returns:
            False if all standings of a large board must be read, or if a board begins that must be filled, or switch
            versions with others, first: that is left to the schedule.

        Raises:
            NotFound: The benchmark is not published.
            Busy: Other publishers won too often.
        """
        is_published = self._publish(board, rows)
        if rows is None:
            self.publish_index([board.benchmark])
        return is_published

    def publish_index(self, benchmarks: Collection[str]) -> None:
        """Bring the entries and badges of these benchmarks up to date.

        Entries are not written with each result: the schedule does it, and who publishes a whole board.
        """
        behind: list[Head] = []

        def attempt() -> None:
            before = self.snapshots.read_index()
            entries = {entry.id: entry for entry in before.value.benchmarks} if before else {}
            behind.clear()
            for benchmark in benchmarks:
                head = self.snapshots.read_head(benchmark)  # after the index, so that no entry gets older
                if head is None:
                    continue
                entry = make_index_entry(head.value, self.benchmarks.current(benchmark, fresh=True), now=self.clock())
                if entries.get(benchmark) != entry:
                    entries[benchmark] = entry
                    behind.append(head.value)
            if behind:
                index = Index(benchmarks=tuple(entries[name] for name in sorted(entries)))
                self.snapshots.write_index(index, replacing=before)

        retry_on_conflict(attempt, what="index")
        for head in behind:
            self._publish_badge(head, None)

    def _publish(self, board: BoardKey, rows: Collection[str] | None) -> bool:
        written = self.written.pop(board, None)
        if written is not None:
            with suppress(Conflict, NotFound, TornPage):  # another process has published since
                if self._attempt(board, rows, written).is_written:
                    return True
        torn: str | None = None

        def attempt() -> bool:
            nonlocal torn
            before = self.snapshots.read_head(board.benchmark, board.board)
            is_torn = before is not None and before.etag == torn
            try:
                return self._attempt(board, rows, before, from_all=is_torn).is_published
            except (NotFound, TornPage) as error:
                if is_torn or before is None:
                    raise
                torn = before.etag  # has moved on meanwhile, or is wrong: then it is made from all standings
                raise Conflict(str(error)) from error

        return retry_on_conflict(attempt, what=f"board {board}")

    def _attempt(
        self, board: BoardKey, rows: Collection[str] | None, before: Versioned[Head] | None, *, from_all: bool = False
    ) -> _Attempted:
        """Replace a head, which was read or written; from all standings if so asked.

        Raises Conflict, NotFound, TornPage.
        """
        # Bypass the cache, and read after the head: the definition must not be older than the head's.
        published = self.benchmarks.latest(board.benchmark)
        shown = published.find_board(board.board)
        if shown is None or shown.key != board:
            return _Attempted(is_published=True)
        if rows is not None and _is_left_to_keeper(published, shown, before and before.value):
            return _Attempted(is_published=False)
        publishing = Publishing(
            self.standings,
            self.snapshots,
            self.sizes,
            self.clock(),
            self.randomness(6).hex(),
            published=published,
            shown=shown,
            before=before and before.value,
            previous=self._find_previous(before and before.value, shown),
        )
        must_build = from_all or not publishing.goes_on
        if must_build and rows is not None and before is not None and before.value.total > MAX_WHOLE_ROWS:
            return _Attempted(is_published=False)
        head = publishing.build() if rows is None or must_build else publishing.change(rows)
        if head is not None:
            self.written[board] = self.snapshots.write_head(head, replacing=before)
        self._publish_badge(before and before.value, head)
        return _Attempted(is_published=True, is_written=head is not None)

    def _find_previous(self, before: Head | None, shown: PublishedBoard) -> PreviousHead | None:
        """Return what readers of a board take until the main one has its version."""
        is_same = before is not None and before.version == shown.key.version
        if before is None or shown.board.id == MAIN or (is_same and before.previous is None):
            return None
        main = self.snapshots.read_head(before.id)
        if main is None or main.value.version == shown.key.version:
            return None
        if main.value.version == before.version:
            return self.snapshots.keep_head(before)
        is_kept = before.previous is not None and before.previous.version == main.value.version
        return before.previous if is_kept else None

    def _publish_badge(self, before: Head | None, head: Head | None) -> None:
        """Write the badge if the new head changes it.

        Without a new head the delivery is a repeat: the first one may have died before its badge.
        """
        shown = head or before
        if shown is None or (head and before and make_badge(before) == make_badge(head)):
            return
        for _ in range(MAX_TRIES):
            self.snapshots.write_badge(shown, make_badge(shown))
            latest = self.snapshots.read_head(shown.id, shown.board)
            if latest is None or latest.value.sequence == shown.sequence:
                return
            shown = latest.value
        raise Busy(f"badge of {shown.id}: the head changed {MAX_TRIES} times")


def _is_left_to_keeper(published: PublishedBenchmark, shown: PublishedBoard, before: Head | None) -> bool:
    """Return whether a board must be filled, or switch with others, by the keeper."""
    if before is not None and (before.version, before.since) == (shown.key.version, shown.key.since):
        return False
    return shown.key.since > 0 or len(published.boards) > 1
