"""How far a publishing has come that reaches players, closed windows or results one after the other.

Which players it has reached their anchors say, so that progress is only written once all are.
"""

from enum import StrEnum
from typing import NamedTuple

from storage.boards.standings import BoardKey
from storage.gateway.conditions import Absent, AtMost
from storage.gateway.schema import Schema
from storage.gateway.table import Table


class Reached(StrEnum):
    """What a publishing reaches; the value is the item's key."""

    BEGUN_BOARDS = "begun"
    """The players of boards that began."""
    CLOSED_WINDOWS = "windows"
    LATE_RESULTS = "late"
    """What was received after the close; `position` is the change after which it was folded, and how often."""
    THAWED_RESULTS = "thawed"


class Progress(NamedTuple):
    """How far a publishing has come.

    Args:
        publish_number: Of the publishing.
        position: Of the last one that was reached; None if none is left.
    """

    publish_number: int
    position: str | None = None


class ProgressStore(NamedTuple):
    """One item for each version of a benchmark, and what a publishing reaches, in the boards table."""

    table: Table

    def read(self, reached: Reached, main: BoardKey) -> Progress | None:
        """Return the progress (consistent); None if there is none."""
        item = self.table.get(Schema.PROGRESS, board=str(main), item=reached)
        if item is None:
            return None
        return Progress(int(item["publish_number"]), str(item["position"]) or None)

    def put(self, reached: Reached, main: BoardKey, progress: Progress) -> None:
        """Replace the progress; that of a later publishing stays."""
        self.table.put_if(
            Schema.PROGRESS,
            {
                "board": str(main),
                "item": reached,
                "publish_number": progress.publish_number,
                "position": progress.position or "",
            },
            Absent("board") | AtMost("publish_number", progress.publish_number),
        )
