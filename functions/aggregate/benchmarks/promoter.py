"""What the schedule does of benchmarks: makes the next version current, its board complete before, or deletes one."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.keeper import BoardKeeper
from aggregate.rebuilder import Rebuilder
from aggregate.restorer import BoardRestorer
from handlers.loops import logger
from storage.actors import Actor, Role
from storage.benchmarks.archives import ArchiveStore, Deletion
from storage.benchmarks.corrections import CorrectionNoteStore
from storage.benchmarks.owners import OwnerStore
from storage.benchmarks.progress import Progress, Reached
from storage.benchmarks.rescores import PromotionBlocked, Rescoring, begins_final, find_following
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.gateway.errors import Conflict
from storage.keys import MAIN_BOARD, ResultKey, board_prefix
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_seconds
from storage.mail.outbox import MailOutbox
from storage.players.bans import BanStore
from storage.submissions.work import WorkStore

POLL_SECONDS = 1.0
INTERVAL = timedelta(minutes=10)
"""Of the schedule: each run takes care of the moments until the next one."""
_LATE = timedelta(minutes=1)
"""EventBridge is precise to a minute. Two runs that wait for one moment write the same."""
_SCHEDULE = Actor(id="schedule", role=Role.OWNER)
_THAWING = timedelta(days=1)
_PATIENCE = timedelta(days=1)
"""After this an owner hears that results wait for a runner."""


class VersionPromoter(NamedTuple):
    """Finishes rescores, and deletes benchmarks."""

    rescoring: Rescoring
    aggregator: Aggregator
    keeper: BoardKeeper
    bans: BanStore
    archives: ArchiveStore
    notes: CorrectionNoteStore
    restorer: BoardRestorer
    owners: OwnerStore
    work: WorkStore
    outbox: MailOutbox
    sleep: Callable[[float], None] = time.sleep

    def step(self, benchmark: str, *, patience_seconds: float) -> bool:
        """Render outdated boards; then queue results, wait a little and promote.

        Args:
            benchmark: The benchmark's id.
            patience_seconds: How long to wait for outcomes; the next call continues.

        Returns:
            Whether the next version became current. Raises PromotionBlocked if it must not.
        """
        published = self.aggregator.benchmarks.find(benchmark, fresh=True)
        if published is None:  # being published for the first time: the bundle is written before the pointer
            return False
        deletion = self.archives.find_deletion(benchmark) if published.archived else None
        if deletion is not None and self.remove(published, deletion):
            return False
        published, mark = self.apply_bans(published), self.archives.find(benchmark)
        if mark != published.archived:  # `keep` brings it to the boards
            published = self.aggregator.benchmarks.put_archive(benchmark, mark)
        self.keeper.keep(published)
        self.thaw(published)
        if any(version.definition.runs_own for version in published.active_versions):
            self.remind(published)
        if self.rescoring.must_begin(published):
            try:
                published = self.aggregator.benchmarks.reveal(published)
            except Conflict:  # another process began it, and goes on
                return False
        if not self.rescoring.is_asked(published):
            return False
        unscored = self.rescoring.list_unscored(published)
        self.rescoring.queue(published, unscored)
        if self.wait(published, unscored, seconds=patience_seconds):
            return False
        self.promote(published)
        return True

    def remove(self, published: PublishedBenchmark, deletion: Deletion) -> bool:
        """Delete a benchmark, if it is the one that was meant; return whether it was.

        If this process dies the schedule goes on, while there is a pointer.

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

    def step_all(self, benchmarks: Sequence[str], failures: list[Exception], *, patience_seconds: float) -> list[str]:
        """Advance benchmarks and list them; return those promoted.

        One that fails adds its error to `failures`, and keeps no other back.
        """
        promoted, kept = [], []
        for benchmark in benchmarks:
            with logger.append_context_keys(benchmark=benchmark):
                try:
                    if self.step(benchmark, patience_seconds=patience_seconds):
                        logger.info("the next version is current")
                        promoted.append(benchmark)
                except PromotionBlocked as error:  # the board is unchanged; who must act got a mail about what failed
                    logger.warning("a promotion is blocked", extra={"reason": str(error)})
                except Exception as error:
                    logger.exception("a rescore failed, will be retried")
                    failures.append(error)
                    continue
            kept.append(benchmark)
        renderer = self.aggregator.renderer
        renderer.decorate("all benchmarks").run("index", lambda: renderer.update_index(kept), None)
        return promoted

    def apply_bans(self, published: PublishedBenchmark) -> PublishedBenchmark:
        """Publish the bans and extensions of a benchmark, and the boards by them.

        The rows are looked at each time, so a crash, or a result that was on its way, is made up for by the next call.
        """
        bans = self.bans.read(published.id)
        if (bans.reasons, bans.extensions) != (published.bans, published.extensions):
            published = self.aggregator.benchmarks.put_bans(published.id, bans.reasons, bans.extensions)
        boards = (*published.boards, *self.keeper.windows.list_live(published)) if bans.players else ()
        for board in boards:
            standings = self.aggregator.standings
            rows = [row for player in sorted(bans.players) for row in standings.list_rows(board.key, player)]
            self.aggregator.renderer.render(board.key, rows)
        return published

    def thaw(self, published: PublishedBenchmark) -> None:
        """Render boards that may be frozen, or accept what waited because they were.

        For a day after that ended, by its time or by another publishing, because results may be on their way; and once
        more, because the schedule may have stood still.
        """
        review, now = published.definition.review, self.aggregator.renderer.clock()
        if review is None:
            return
        over = now - max(published.published_at, review.ends or published.published_at)
        main, done = published.boards[0].key, Progress(published.publish_number)
        is_frozen = published.definition.frozen_since(now) is not None
        if not is_frozen and (over < _THAWING or self.aggregator.progress.read(Reached.THAWED_RESULTS, main) != done):
            self.aggregator.entries.reviews.thaw(published.id, version=published.version, actor=_SCHEDULE, at=now)
            if over >= _THAWING:
                self.aggregator.progress.put(Reached.THAWED_RESULTS, main, done)
        for board in published.boards if review.starts else ():
            self.aggregator.renderer.render(board.key, ())

    def remind(self, published: PublishedBenchmark) -> None:
        """Mail the owner, once, if results have waited for a runner for a day."""
        waiting, now = list(self.work.list_waiting(published.id)), self.aggregator.renderer.clock()
        since = min((each.since for each in waiting), default=now)
        if now - since < _PATIENCE:
            return
        seen = next((f"{each.since:%Y-%m-%d}" for each in self.work.list_runners(published.id)), "never")
        digest = DigestKey(DigestKind.RUNS, published.id, occasion=seen)
        text = f"{len(waiting)} results, the oldest since {since:%Y-%m-%d %H:%M} UTC; a runner was seen last: {seen}"
        self.outbox.add(PendingMail(digest, "", published.id, to_seconds(now), text=text))

    def wait(
        self, published: PublishedBenchmark, unscored: Sequence[ResultKey], *, seconds: float
    ) -> Sequence[ResultKey]:
        """Wait for outcomes under the next version; return what has none yet."""
        until = time.monotonic() + seconds  # listing takes time, too
        for _ in range(int(seconds / POLL_SECONDS)):
            if not unscored or time.monotonic() > until:
                break
            self.sleep(POLL_SECONDS)
            unscored = self.rescoring.find_unscored(published, unscored)
        return unscored

    def promote(self, published: PublishedBenchmark) -> PublishedBenchmark:
        """Make the next version current, once every result is scored under it.

        The standings of the next version are folded first, so that its first head is complete. If this crashes between
        two steps, the schedule continues. Raises PromotionBlocked if the next version must not become current,
        PublishConflict if the benchmark was published after `published` was read; nothing was changed then.
        """
        try:
            self.rescoring.check(published)
        except PromotionBlocked as error:
            if begins_final(published) and self.keeper.corrections:
                self.keeper.corrections.mail_final(published.id, find_following(published).version, str(error))
            raise
        benchmarks = self.aggregator.benchmarks
        board = BoardKey(published.id, find_following(published).version)
        for _ in Rebuilder(self.aggregator).deliver_records(board):
            pass
        self.aggregator.refold(board)
        following = published.next_version
        if following is not None:
            self.keeper.begin_boards(following)
        reason = self.notes.find(published.id, version=board.version)
        try:
            promoted = benchmarks.promote(published, reason=reason)
        except Conflict:
            promoted = benchmarks.current(published.id, fresh=True)
            if promoted.version != board.version:
                raise
        self.keeper.keep(promoted)
        return promoted


def publish_phases(
    aggregator: Aggregator, benchmarks: Iterable[str], *, sleep: Callable[[float], None] = time.sleep
) -> Iterator[list[str]]:
    """Wait until benchmarks open, close, freeze, thaw or are final; yield them.

    The wait is charged, at most eleven minutes for a moment, and only when there is one.
    """
    clock = aggregator.renderer.clock
    until = clock() + INTERVAL + _LATE
    due: dict[datetime, list[str]] = {}
    for benchmark in benchmarks:
        published = aggregator.benchmarks.find(benchmark)
        if published is None:
            continue
        definition = published.definition
        freezes = (definition.review.starts, definition.review.ends) if definition.review else ()
        for moment in {definition.opens, definition.closes, published.final_at, *freezes}:
            if moment is not None and clock() < moment <= until:
                due.setdefault(moment, []).append(benchmark)
    for moment in sorted(due):
        while (left := (moment - clock()).total_seconds()) > 0:
            sleep(left)
        aggregator.renderer.update_index(due[moment])
        yield due[moment]
