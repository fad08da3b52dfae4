"""Makes the next version of a benchmark the current one: its board is whole before anybody can see it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aggregate.rebuilder import Rebuilder
from storage.aws.errors import Conflict, NotFound
from storage.benchmarks.rescores import Rescoring, find_following
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.keys import ResultKey

POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class VersionPromoter:
    """Finishes rescores."""

    rescoring: Rescoring
    rebuilder: Rebuilder
    sleep: Callable[[float], None] = time.sleep

    def advance(self, benchmark: str, *, patience_seconds: float) -> bool:
        """Bring a benchmark one step further: queue, wait a little, move; or publish a board that was left behind.

        Args:
            benchmark: The benchmark's id.
            patience_seconds: How long to wait for outcomes; the next call goes on where this one ends.

        Returns:
            Whether the next version became current.

        Raises:
            Withheld: The next version must not become current as it is.
        """
        workshop = self.rebuilder.workshop
        try:
            published = workshop.benchmarks.current(benchmark, fresh=True)
        except NotFound:  # published for the first time right now: the bundle is there before the pointer is
            return False
        self._catch_up(published)
        if not self.rescoring.is_asked(published):
            return False
        lacking = self.rescoring.list_lacking(published)
        for _ in self.rescoring.queue(published, lacking):
            pass
        if self.wait(published, lacking, seconds=patience_seconds):
            return False
        self.move(published)
        return True

    def wait(
        self, published: PublishedBenchmark, lacking: Sequence[ResultKey], *, seconds: float
    ) -> Sequence[ResultKey]:
        """Wait until these results have outcomes under the next version; give those that still have none."""
        until = time.monotonic() + seconds  # to look takes its time, too
        for _ in range(int(seconds / POLL_SECONDS)):
            if not lacking or time.monotonic() > until:
                break
            self.sleep(POLL_SECONDS)
            lacking = self.rescoring.find_lacking(published, lacking)
        return lacking

    def move(self, published: PublishedBenchmark) -> PublishedBenchmark:
        """Make the next version current; every result that was there when `next` was published is scored under it.

        The next board is folded first, so that its first head is whole. Whoever falls between the steps is followed by
        the schedule.

        Args:
            published: The pointer under which that was seen.

        Raises:
            Withheld: It must not become current as it is; nothing was moved.
            PublishedMeanwhile: The benchmark was published again meanwhile; nothing was moved.
        """
        self.rescoring.check(published)
        workshop = self.rebuilder.workshop
        board = BoardKey(published.id, find_following(published).version)
        for _ in self.rebuilder.add_contributions(board):
            pass
        workshop.aggregator.update_standings(board, None)
        try:
            moved = workshop.benchmarks.move(published)
        except Conflict:
            moved = workshop.benchmarks.current(published.id, fresh=True)
            if moved.version != board.version:
                raise
        workshop.rebuild(board)
        return moved

    def _catch_up(self, published: PublishedBenchmark) -> None:
        """Publish the board where its head, a standing of it or its card is of an older publishing: somebody fell."""
        workshop = self.rebuilder.workshop
        head = workshop.publisher.snapshots.read_head(published.id)
        index = workshop.publisher.snapshots.read_index()
        cards = {one.id: one.sequence for one in index.value.benchmarks} if index else {}
        if head is None or head.value.revision < published.revision or cards.get(published.id, 0) < head.value.sequence:
            workshop.rebuild(BoardKey(published.id, published.version))
