"""Sets boards aside that cannot be rendered, so that their streams go on."""

from collections.abc import Sequence
from dataclasses import dataclass

from aggregate.renderer import BoardRenderer
from handlers.loops import logger
from storage.boards.rendering.stalls import Stall, StallStore
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey
from storage.gateway.errors import Busy
from storage.gateway.table import retry_on_conflict
from storage.submissions.models import SubmissionRecord


@dataclass(frozen=True, slots=True)
class BoardGuard:
    """Counts the failures of boards, and sets those aside that go on failing."""

    stalls: StallStore
    renderer: BoardRenderer
    snapshots: SnapshotStore

    def note(self, board: BoardKey, error: Exception, *, first: str, least_failures: int = 1) -> Stall:
        """Count a failure, and show on the board that it is set aside, if it is."""
        now = self.renderer.clock()
        stall = self.stalls.note(board, first=first, reason=describe(error), now=now, least_failures=least_failures)
        if stall.is_set_aside:
            logger.error("a board is set aside", extra={"board": str(board), "failures": stall.failures})
            self.renderer.decorate(board).run("stall", lambda: self._show(stall), None)
        return stall

    def set_aside(self, board: BoardKey, error: Exception, records: Sequence[SubmissionRecord]) -> Exception | None:
        """Count the failure of a board with some records.

        A store that is out of reach is not counted: it fails for every board, and not again.

        Return the error if they must be delivered again.
        """
        if isinstance(error, Busy):
            return error
        stall = self.note(board, error, first=min(record.submission.id for record in records))
        return None if stall.is_set_aside else error

    def pass_over(self, board: BoardKey, error: Exception, *, first: str) -> None:
        """Count what failed of a change, before any board, as a failure of the main one.

        Raises the error, so that the change is delivered again, until the board is set aside.
        """
        if not self.note(board, error, first=first).is_set_aside:
            raise error
        logger.error("a change is set aside", extra={"board": str(board), "submission": first})

    def _show(self, stall: Stall) -> None:
        """Write into the board's head since when it has stood still.

        Each head says so until all rows are published again.
        """
        snapshots, board = self.snapshots, stall.board

        def attempt() -> None:
            before = self.renderer.read_head(board)
            if before is None or before.value.version != board.version or before.value.stalled_since is not None:
                return
            update = {"sequence": before.value.sequence + 1, "stalled_since": stall.since}
            snapshots.write_head(before.value.model_copy(update=update), replacing=before)

        retry_on_conflict(attempt, what=f"head of {board}")


def describe(error: Exception) -> str:
    """Return an error as a line for people."""
    return f"{type(error).__name__}: {error}"
