"""How far a board that began after its version is filled, and how far closed windows are made again."""

from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.boards.standings import BoardKey

_ITEM, _WINDOWS = "filling", "windows"
_DONE = "~"
"""Sorts after every id of a submission."""


@dataclass(frozen=True, slots=True)
class FillingStore:
    """One item for each such board, in the boards table. It only ever moves on."""

    table: Table

    def read(self, board: BoardKey) -> str:
        """Return the submission up to which all are folded (consistent); "" if none is."""
        item = self.table.get(Schema.FILLING, board=str(board), item=_ITEM)
        return str(item["submission"]) if item else ""

    def is_filled(self, board: BoardKey) -> bool:
        """Return whether a board has all records; one that began with its version has."""
        return board.since == 0 or self.read(board) == _DONE

    def move_on(self, board: BoardKey, submission: str) -> None:
        """Note that every record up to this submission is folded."""
        with suppress(Conflict):
            self.table.put(
                Schema.FILLING,
                {"board": str(board), "item": _ITEM, "submission": submission},
                condition="attribute_not_exists(#board) OR #submission < :submission",
                values={"submission": submission},
            )

    def finish(self, board: BoardKey) -> None:
        """Note that every record from before the board began is folded."""
        self.move_on(board, _DONE)


class ClosedWindowsProgress(NamedTuple):
    """How far closed windows are made again since a publishing, from the newest on.

    Args:
        publish_number: Of the publishing.
        position: Of the last one that was; None if none is left.
    """

    publish_number: int
    position: str | None


@dataclass(frozen=True, slots=True)
class ClosedWindowsStore:
    """One item for each version of a benchmark with windows, beside its main board."""

    table: Table

    def read(self, main: BoardKey) -> ClosedWindowsProgress | None:
        """Return the progress (consistent); None if there is none."""
        item = self.table.get(Schema.CLOSED_WINDOWS, board=str(main), item=_WINDOWS)
        if item is None:
            return None
        return ClosedWindowsProgress(int(item["publish_number"]), str(item["position"]) or None)

    def put(self, main: BoardKey, progress: ClosedWindowsProgress) -> None:
        """Replace the progress; that of a later publishing stays."""
        with suppress(Conflict):
            self.table.put(
                Schema.CLOSED_WINDOWS,
                {
                    "board": str(main),
                    "item": _WINDOWS,
                    "publish_number": progress.publish_number,
                    "position": progress.position or "",
                },
                condition="attribute_not_exists(#board) OR #publish_number <= :publish_number",
                values={"publish_number": progress.publish_number},
            )
