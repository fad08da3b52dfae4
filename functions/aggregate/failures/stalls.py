"""Sets boards aside that cannot be made, so that their streams go on."""

from dataclasses import dataclass

from aggregate.renderer import BoardRenderer
from handlers.loops import logger
from storage.boards.rendering.stalls import StallStore
from storage.boards.standings import BoardKey


@dataclass(frozen=True, slots=True)
class BoardGuard:
    """Notes what boards lack, for the schedule, which makes up for it from the stored records."""

    stalls: StallStore
    renderer: BoardRenderer

    def set_aside(self, board: BoardKey, error: Exception, *, first: str) -> None:
        """Note that a board failed, and from which submission on it may lack results.

        Its head says since when, until all rows are published again. Raises Busy if that cannot be noted.
        """
        stall = self.stalls.note(board, first=first, reason=describe(error), now=self.renderer.clock())
        logger.error("a board is set aside", exc_info=error, extra={"board": str(board), "failures": stall.failures})
        mark = self.renderer.mark_head
        self.renderer.decorate(board).run("stall", lambda: mark(board, stalled_since=stall.since), None)


def describe(error: Exception) -> str:
    """Return an error as a line for people."""
    return f"{type(error).__name__}: {error}"
