"""Stalls: boards that are set aside, since when, and from which submission on they lack results.

While a board is set aside its stream goes on, because all that it lacks is stored: the schedule folds the records again
from the submission on that the stall names.
"""

from contextlib import suppress
from datetime import datetime
from typing import Final, NamedTuple

from storage.boards.standings import BoardKey
from storage.gateway.conditions import Absent, Equals
from storage.gateway.errors import Conflict
from storage.gateway.schema import Plain, Schema, from_attributes, to_attributes
from storage.gateway.table import Table, retry_on_conflict

MAX_REASON: Final = 500
_PARTITION: Final = "stalls#rendering"


class Stall(NamedTuple):
    """A board that could not be made.

    Args:
        board: The board.
        since: When it failed for the first time.
        failures: How often it has failed since; every failure changes it.
        first: The earliest submission whose record may not be on the board.
        reason: The latest error.
    """

    board: BoardKey
    since: datetime
    failures: int
    first: str
    reason: str


class StallStore(NamedTuple):
    """All stalls, in one partition of the boards table, so that the schedule finds them by one query."""

    table: Table

    def note(self, board: BoardKey, *, first: str, reason: str, now: datetime) -> Stall:
        """Count a failure of a board, and return its stall.

        Args:
            board: The board.
            first: The earliest submission that it lacks for this failure.
            reason: The error.
            now: The time.
        """

        def attempt() -> Stall:
            item = self.table.get(Schema.STALL, board=_PARTITION, item=str(board))
            before = None if item is None else _read(item)
            stall = Stall(board=board, since=now, failures=1, first=first, reason=reason[:MAX_REASON])
            if before is not None:
                earliest = min(first, before.first)
                stall = stall._replace(since=before.since, failures=before.failures + 1, first=earliest)
            return self._put(stall, before)

        return retry_on_conflict(attempt, what=f"stall of {board}")

    def list_all(self) -> list[Stall]:
        """Read all stalls (consistent), in order of board."""
        return [_read(Schema.STALL.read(item)) for item in self.table.query(("board", _PARTITION))]

    def move_on(self, stall: Stall, submission: str) -> None:
        """Note that all before this submission are folded.

        Nothing is noted if the board has failed since the stall was read.
        """
        with suppress(Conflict):
            self._put(stall._replace(first=submission, failures=stall.failures + 1), stall)

    def forget(self, stall: Stall) -> bool:
        """Delete a stall, and return whether it is gone.

        It stays if the board has failed since it was read.
        """
        try:
            self.table.delete(Equals("failures", stall.failures), board=_PARTITION, item=str(stall.board))
        except Conflict:
            return False
        return True

    def _put(self, stall: Stall, before: Stall | None) -> Stall:
        board = stall.board
        named: dict[str, Plain] = {"benchmark": board.benchmark, "version": board.version, "board_id": board.board}
        key: dict[str, Plain] = {"board": _PARTITION, "item": str(board), "board_since": board.since}
        self.table.put(
            Schema.STALL,
            {**to_attributes(stall), **named, **key},
            Absent("item") if before is None else Equals("failures", before.failures),
        )
        return stall


def _read(item: dict[str, Plain]) -> Stall:
    benchmark, version, board = (str(item[name]) for name in ("benchmark", "version", "board_id"))
    return from_attributes(Stall, item, board=BoardKey(benchmark, version, board, int(item["board_since"])))
