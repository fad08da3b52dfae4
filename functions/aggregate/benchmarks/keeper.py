"""Keeps all boards of a benchmark: begins those that are new, renders them in order, deletes those that are gone.

The head of the main board switches the version of all boards: the others have their version in their address, and are
published before it. Every step follows from what is stored, so the next call goes on where one stopped.
"""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from itertools import batched
from typing import NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.corrections import CorrectionPublisher
from aggregate.benchmarks.windows import WindowKeeper
from aggregate.rebuilder import BATCH
from handlers.loops import logger
from scoring_core.benchmarks.boards import MAIN, is_instance_of, is_recurring
from scoring_core.outcome import Outcome
from storage.benchmarks.board_lists import BoardsFile, RetiredBoard, key_of
from storage.benchmarks.corrections import is_due
from storage.benchmarks.progress import Progress, Reached
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import Head
from storage.boards.published import PublishedBoard
from storage.boards.standings import BoardKey, Columns
from storage.gateway.table import retry_on_conflict
from storage.keys import board_prefix, boards_prefix, first_id

BEGIN_SECONDS = 120.0
"""How long boards begin in one call, which Lambda would otherwise end unreported; the schedule goes on."""
FOLD_TIME = timedelta(minutes=15)
"""No function folds longer."""
MAX_CLOSED = 20
"""Instances of a retired window that one call deletes; the next one goes on."""
MAX_DELETED = 20_000
"""Items of a retired board that one call deletes; the next one goes on."""


class BoardKeeper(NamedTuple):
    """Brings the boards of benchmarks up to date.

    Args:
        aggregator: Folds and renders.
        begin_seconds: How long one call may fold the rows of boards that begin; the next one goes on.
        corrections: Publishes corrections; None: a main board that waits for one is left to the schedule.
        monotonic: Measures that time.
    """

    aggregator: Aggregator
    begin_seconds: float = BEGIN_SECONDS
    corrections: CorrectionPublisher | None = None
    monotonic: Callable[[], float] = time.monotonic

    @property
    def windows(self) -> WindowKeeper:
        """What is particular to windows."""
        return WindowKeeper(self.aggregator)

    def keep(self, published: PublishedBenchmark) -> None:
        """Begin, fold and render the boards that are out of date, and retire old ones.

        Raises NotFound if the benchmark is not published any more, Busy.
        """
        heads = self.aggregator.snapshots.run(self._find_head, published.boards)
        outdated = _list_outdated(published.boards, heads)
        must_begin = any(board.key.since for board in outdated) or self.windows.may_begin(published)
        failures: list[Exception] = []
        if must_begin:  # a player who cannot be folded keeps only new boards back
            begin = partial(self.begin_boards, published, seconds=self.begin_seconds)
            _attempt(failures, published.boards[0], begin)
        begun = self._read_begun(published) if must_begin else published.publish_number
        ready = _list_ready(published, outdated, main=heads[0], begun=begun)
        has_begun = begun >= max((window.key.since for window in published.windows), default=0)
        windows = self.windows.list_live(published) if has_begun else []
        outdated_windows = _list_outdated(windows, self.aggregator.snapshots.run(self._find_head, windows))
        done = self._render_all(published, [*ready, *outdated_windows], main=heads[0], failures=failures)
        for board in (*published.boards, *windows):
            _attempt(failures, board, partial(self.aggregator.renderer.take_up_words, board.key))
        self._judge_late(published)
        if len(done) == len(outdated) + len(outdated_windows):
            self._list(published)
            if has_begun:
                self.windows.go_on(published)
        if failures:
            raise failures[0]

    def _judge_late(self, published: PublishedBenchmark) -> None:
        """Fold late results again after `closes` or a player's time changed.

        That is done once, and once more when nothing is folded that began before the change.
        """
        moved, closes, now = published.moved, published.definition.closes, self.aggregator.renderer.clock()
        changes = published.time_changes
        since = moved.before if moved else closes
        if since is None or not changes:
            return
        main, marks = published.boards[0].key, self.aggregator.progress
        number = sum(each.changes for each in published.extensions.values())
        times = "again" if now - max(changes) > FOLD_TIME else "once"
        position = f"{number} {max(changes).isoformat()} {times}"
        before = marks.read(Reached.LATE_RESULTS, main)
        if before is not None and before.position == position:
            return
        read = partial(self.aggregator.submissions.all_records, published.id, since=first_id(since))
        for version in published.active_versions:
            scored = (record for record in read(version=version.version) if record.outcome is Outcome.SCORED)
            for batch in batched(scored, BATCH, strict=False):
                self.aggregator.update(version.boards[0].key, batch)
        marks.put(Reached.LATE_RESULTS, main, Progress(published.publish_number, position))

    def _render_all(
        self,
        published: PublishedBenchmark,
        ready: Sequence[PublishedBoard],
        *,
        main: Head | None,
        failures: list[Exception],
    ) -> list[PublishedBoard]:
        """Fold and render all rows of boards, and return those of which that was done."""
        # The main board comes last: it switches the version of all, so it waits if another one failed.
        is_switch = main is not None and main.version != published.version
        done = []
        for board in sorted(ready, key=lambda board: board.board.id == MAIN):
            must_wait = is_switch and bool(failures) and board.board.id == MAIN
            if not must_wait and _attempt(failures, board, partial(self._render, published, board)):
                done.append(board)
        return done

    def _render(self, published: PublishedBenchmark, board: PublishedBoard) -> bool:
        """Fold and render all rows of a board.

        If a correction is due, it goes before the main board's head. Return False if the board waits for it.
        """
        self.aggregator.refold(published.boards[0].key, [board.key])
        promotion = published.promotion if board.board.id == MAIN else None
        head = self._find_head(board) if promotion else None
        if promotion and head and is_due(promotion, version=published.version, shown=head.version):
            if self.corrections is None:
                return False
            self.corrections.publish(published, promotion, shown=head)
        self.aggregator.renderer.render(board.key, None)
        return True

    def begin_boards(self, published: PublishedBenchmark, *, seconds: float = float("inf")) -> None:
        """Fold the rows of all players on the boards and windows that have begun.

        A player's anchor says what is left: after so many seconds the next call goes on.
        """
        boards, until = published.all_boards, self.monotonic() + seconds
        before = self.aggregator.progress.read(Reached.BEGUN_BOARDS, boards.key)
        if before is not None and before.publish_number >= boards.newest_since:
            return
        players = self.aggregator.standings.list_players(boards.key)
        lacking = (player for player, begun in players if begun < boards.newest_since)
        for batch in batched(lacking, BATCH, strict=False):
            if self.monotonic() > until:
                return
            self.aggregator.begin_boards(boards.key, batch)
        self.aggregator.progress.put(Reached.BEGUN_BOARDS, boards.key, Progress(boards.newest_since))

    def _read_begun(self, published: PublishedBenchmark) -> int:
        """Return up to which publish number boards have all rows; 0: none has."""
        before = self.aggregator.progress.read(Reached.BEGUN_BOARDS, published.all_boards.key)
        return before.publish_number if before else 0

    def _find_head(self, board: PublishedBoard) -> Head | None:
        stored = self.aggregator.renderer.read_head(board.key)
        return stored and stored.value

    def _list(self, published: PublishedBenchmark) -> None:
        """Write the list of boards, and delete what is retired."""

        def attempt() -> BoardsFile | None:
            before = self.aggregator.lists.find(published.id)
            if before is None and len(published.boards) == 1 and not published.windows:
                return None
            old = before.value if before else BoardsFile(id=published.id, version=published.version, boards=())
            new = old.follow(published.version, published.boards, published.windows)
            if new.version != old.version:
                self._retire_versions(published)
            if new != old:
                self.aggregator.lists.put(new, replacing=before)
            return new

        listed = retry_on_conflict(attempt, what=f"list of boards of {published.id}")
        if listed is not None and all(self._delete(published, retired) for retired in listed.retired):
            self._forget_retired(listed)

    def _retire_versions(self, published: PublishedBenchmark) -> None:
        """Delete the heads of other versions; closed windows keep theirs until their turn.

        That is done before the list says that all boards have switched, so a crash is made up for.
        """
        windows = published.list_kept_windows(self.aggregator.renderer.clock()) if published.windows else []
        for board in (*published.boards[1:], *windows):
            self.aggregator.snapshots.retire_versions(published.id, board.key.board, keeping=published.version)

    def _forget_retired(self, done: BoardsFile) -> None:
        """Take what was deleted off the list; delete a list of nothing but the main board."""

        def attempt() -> None:
            before = self.aggregator.lists.find(done.id)
            if before is None:
                return
            left = tuple(retired for retired in before.value.retired if retired not in done.retired)
            if len(before.value.boards) == 1 and not before.value.windows and not left:
                self.aggregator.lists.delete(done.id)
            elif left != before.value.retired:
                self.aggregator.lists.put(before.value.model_copy(update={"retired": left}), replacing=before)

        retry_on_conflict(attempt, what=f"list of boards of {done.id}")

    def _delete(self, published: PublishedBenchmark, retired: RetiredBoard) -> bool:
        """Delete what is stored of a retired board or window.

        Return whether nothing is left.
        """
        key = key_of(published.id, retired)
        if any(key == held.key for held in published.all_published):
            return True
        instances: list[str] = []
        if is_recurring(retired.id) and all(window.key.board != retired.id for window in published.windows):
            folders = self.aggregator.snapshots.bucket.list_folders(boards_prefix(published.id))
            instances = [board for board in folders if is_instance_of(board, retired.id)]
        for board in instances[:MAX_CLOSED]:
            if not self._delete_board(published, key._replace(board=board)):
                return False
        return len(instances) <= MAX_CLOSED and self._delete_board(published, key)

    def _delete_board(self, published: PublishedBenchmark, key: BoardKey) -> bool:
        """Delete the standings of a retired board, and its files.

        The files stay if a board has its id. Return whether nothing is left.
        """
        if published.find_board(key.board) is None:
            # The heads first: their readers would miss what they name.
            self.aggregator.snapshots.retire_versions(published.id, key.board)
            bucket = self.aggregator.snapshots.bucket
            bucket.delete_all(bucket.list_keys(board_prefix(published.id, key.board)))
        return self.aggregator.standings.delete_board(key, most=MAX_DELETED) < MAX_DELETED


def _attempt(failures: list[Exception], board: PublishedBoard, act: Callable[[], bool | None]) -> bool:
    """Return whether a step has done its work.

    A failure keeps no other board back, and is raised at the end.
    """
    try:
        return act() is not False
    except Exception as error:
        logger.exception("a board could not be kept", extra={"board": str(board.key)})
        failures.append(error)
        return False


def _list_outdated(boards: Sequence[PublishedBoard], heads: Sequence[Head | None]) -> list[PublishedBoard]:
    return [board for board, head in zip(boards, heads, strict=True) if is_outdated(head, board)]


def _list_ready(
    published: PublishedBenchmark, outdated: Sequence[PublishedBoard], *, main: Head | None, begun: int
) -> list[PublishedBoard]:
    """Return the boards that have all rows.

    If one has not, the main one may not switch the version of all.
    """
    is_switch = main is not None and main.version != published.version
    must_wait = is_switch and any(each.key.since > begun for each in published.all_published if each.key.board != MAIN)
    return [board for board in outdated if board.key.since <= begun and not (must_wait and board.board.id == MAIN)]


def is_outdated(head: Head | None, published: PublishedBoard) -> bool:
    """Return whether a board must be made from all its standings.

    It must if a crash or a definition left its head so, or if that lacks what needs all standings: improvements that a
    withdrawn one had beaten.
    """
    if head is None or (head.version, head.since) != (published.key.version, published.key.since):
        return True
    if head.publish_number < published.publish_number or head.is_incomplete:
        return True
    columns = Columns.of(published.board.rules)
    return (head.ranking.order, tuple(head.rows.scores)) != (columns.order.by, columns.all)
