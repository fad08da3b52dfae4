"""Keeps the windows of a benchmark: those of the present with its other boards, and closed ones once a publishing.

A closed window is met when a record of its time comes. What changes all boards (a rescore, a ranking, a ban) reaches it
by a budget at each run of the schedule, the newest first: which windows there are follows from the first record, the
time zone and the clock, so nothing lists them and nobody looks at them otherwise.
"""

from datetime import datetime
from typing import Final, NamedTuple

from aggregate.aggregator import Aggregator
from storage.benchmarks.progress import Progress, Reached
from storage.benchmarks.store import KEPT_WINDOW, PublishedBenchmark
from storage.boards.published import PublishedBoard
from storage.keys import time_of

MAX_RESTORED: Final = 20
"""Closed windows that one run of the schedule makes again."""
MAX_LOOKED: Final = 200
"""Closed windows that it looks at, most of which nobody may have played."""


class WindowKeeper(NamedTuple):
    """Brings the windows of benchmarks up to date. A benchmark without windows costs no call."""

    aggregator: Aggregator

    def may_begin(self, published: PublishedBenchmark) -> bool:
        """Return whether there are windows that may lack rows from before they began."""
        return bool(published.windows) and self._read_progress(published) is None

    def list_live(self, published: PublishedBenchmark) -> list[PublishedBoard]:
        """Return the instances of the present and of a day ago in which somebody played."""
        kept = published.list_kept_windows(self.aggregator.renderer.clock())
        return [board for board in kept if self._is_played(board)]

    def go_on(self, published: PublishedBenchmark) -> None:
        """Make some closed windows again, if a publishing has not reached all of them."""
        progress = self._read_progress(published) if published.windows else None
        if not published.windows or (progress is not None and progress.position is None):
            return
        reached, ended = progress and progress.position, self.aggregator.renderer.clock() - KEPT_WINDOW
        closed = (board for board in self._list_back(published, ended) if _ends(board) <= ended)
        left = (board for board in closed if reached is None or _position(board) < reached)
        position, restored = None, 0
        for looked, board in enumerate(left, start=1):
            restored += self._restore(published, board)
            if restored >= MAX_RESTORED or looked >= MAX_LOOKED:
                position = _position(board)
                break
        self.aggregator.progress.put(
            Reached.CLOSED_WINDOWS, published.boards[0].key, Progress(published.publish_number, position)
        )

    def restore_all(self, published: PublishedBenchmark) -> None:
        """Make every window again."""
        for board in self.list_instances(published):
            self._restore(published, board)

    def list_instances(self, published: PublishedBenchmark) -> list[PublishedBoard]:
        """Return the instances of windows from now back to the first record."""
        return self._list_back(published, self.aggregator.renderer.clock())

    def _restore(self, published: PublishedBenchmark, board: PublishedBoard) -> bool:
        """Fold and render the standings of a window; return False if nobody played.

        The heads of other versions go, also if nobody played of this one.
        """
        is_played = self._is_played(board)
        if is_played:
            self.aggregator.refold(published.boards[0].key, [board.key])
            self.aggregator.renderer.render(board.key, None)
            self.aggregator.renderer.take_up_words(board.key)
        snapshots = self.aggregator.snapshots
        snapshots.retire_versions(published.id, board.key.board, keeping=board.key.version)
        return is_played

    def _is_played(self, board: PublishedBoard) -> bool:
        if self.aggregator.renderer.read_head(board.key) is not None:
            return True
        return self.aggregator.standings.has_any(board.key)

    def _list_back(self, published: PublishedBenchmark, latest: datetime) -> list[PublishedBoard]:
        """Return the instances since the first record, the latest first.

        They began until `latest`.
        """
        if not published.windows:
            return []
        first = next(self.aggregator.submissions.all_records(published.id, version=published.version), None)
        if first is None:
            return []
        earliest = time_of(first.submission.id)
        boards = [board for window in published.windows for board in window.list_back(latest, earliest)]
        return sorted(boards, key=_position, reverse=True)

    def _read_progress(self, published: PublishedBenchmark) -> Progress | None:
        """Return the progress since the last publishing; None if there is none."""
        progress = self.aggregator.progress.read(Reached.CLOSED_WINDOWS, published.boards[0].key)
        return progress if progress is not None and progress.publish_number >= published.publish_number else None


def _ends(board: PublishedBoard) -> datetime:
    assert board.board.span is not None  # noqa: S101  # it is the instance of a window
    return board.board.span.ends


def _position(board: PublishedBoard) -> str:
    """Return what orders the instances of all windows: when they end, then their id."""
    return f"{_ends(board):%Y-%m-%dT%H:%M:%S.%f} {board.board.id}"
