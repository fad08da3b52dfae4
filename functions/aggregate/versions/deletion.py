"""Deletes a benchmark to which nobody has submitted, once its owner asked for it."""

from dataclasses import dataclass

from aggregate.aggregator import Aggregator
from handlers.loops import logger
from storage.benchmarks.archives import ArchiveStore, Deletion
from storage.benchmarks.owners import OwnerStore
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.keys import MAIN_BOARD, board_prefix
from storage.players.bans import BanStore


@dataclass(frozen=True, slots=True)
class BenchmarkRemover:
    """Deletes benchmarks. One that dies is followed by the schedule, while there is a pointer."""

    aggregator: Aggregator
    archives: ArchiveStore
    bans: BanStore
    owners: OwnerStore

    def remove(self, published: PublishedBenchmark, deletion: Deletion) -> bool:
        """Delete a benchmark, if it is the one that was meant; return whether it was.

        The publish number stays, by which caches tell another benchmark of the id from this one. So does the owner, or
        the player who deleted it: old tokens for the id must not own a stranger's.
        """
        benchmarks = self.aggregator.benchmarks
        if published.archived is None or published.publish_number != deletion.publish_number:
            return False
        if benchmarks.has_results(published.id):
            logger.warning("a benchmark with results is not deleted")
            return False
        self.owners.claim(published.id, player=deletion.player)
        self.bans.delete(published.id)
        keys = {each.key for each in published.all_published}
        keys |= {BoardKey(published.id, version, MAIN_BOARD) for version in benchmarks.list_versions(published.id)}
        self._delete_boards(published.id, keys)
        benchmarks.delete(published)
        self._delete_boards(published.id, keys)  # what was rendered while there was a pointer
        self.archives.finish(published.id, deletion)
        logger.info("a benchmark is deleted")
        return True

    def _delete_boards(self, benchmark: str, keys: set[BoardKey]) -> None:
        """Delete the files and the progress of boards that have no rows."""
        site = self.aggregator.snapshots.bucket
        site.delete_all(site.list_keys(board_prefix(benchmark, MAIN_BOARD)))
        for board in sorted(keys):
            self.aggregator.standings.delete_board(board)
