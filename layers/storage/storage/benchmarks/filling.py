"""How far a board that began after its version is filled with the records from before."""

from contextlib import suppress
from dataclasses import dataclass

from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.boards.standings import BoardKey

_ITEM = "filling"
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
