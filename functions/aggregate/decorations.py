"""Runs what only decorates a board. A step that fails is left out and logged, and the rows are rendered without it."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from handlers.loops import logger
from storage.gateway.errors import Busy


@dataclass(frozen=True, slots=True)
class Decorations:
    """The decorating steps of one board.

    This catches every exception, which nothing else below a handler does: no fault in a notice may be worse than a
    board without one. docs/decisions/0067-no-board-stops-another.md has the argument.

    Args:
        board: The board, for the log.
        reports: What failed of all boards, in words, because a traceback would keep their rows in memory. If there is
            anything, the schedule fails at its end, and its alarm reports it.
        failed: The steps that failed.
    """

    board: str
    reports: deque[str]
    failed: list[str] = field(default_factory=list)

    def run[Result](self, step: str, act: Callable[[], Result], default: Result, *, waits: bool = False) -> Result:
        """Return the result of a step, or the default if it raises.

        `waits`: the rows wait with the step while storage is out of reach, because a head without it cannot get it
        later. Raises Busy then.
        """
        try:
            return act()
        except Exception as error:
            if waits and isinstance(error, Busy):
                raise
            logger.exception("a board is rendered without a decoration", extra={"board": self.board, "step": step})
            self.reports.append(f"{self.board}, {step}: {type(error).__name__}: {error}")
            self.failed.append(step)
            return default
