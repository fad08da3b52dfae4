"""How far a publishing has come that reaches players or closed windows one after the other.

Which players it has reached their anchors say, so that progress is only written once all are.
"""

from dataclasses import dataclass
from typing import NamedTuple

from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.boards.standings import BoardKey


class Progress(NamedTuple):
    """How far a publishing has come.

    Args:
        publish_number: Of the publishing.
        position: Of the last one that was reached; None if none is left.
    """

    publish_number: int
    position: str | None = None


@dataclass(frozen=True, slots=True)
class ProgressStore:
    """One item of BEGUN_BOARDS, and one of CLOSED_WINDOWS, for each version of a benchmark in the boards table."""

    table: Table

    def read(self, schema: Schema, main: BoardKey) -> Progress | None:
        """Return the progress (consistent); None if there is none."""
        item = self.table.get(schema, board=str(main), item=_ITEMS[schema])
        if item is None:
            return None
        return Progress(int(item["publish_number"]), str(item["position"]) or None)

    def put(self, schema: Schema, main: BoardKey, progress: Progress) -> None:
        """Replace the progress; that of a later publishing stays."""
        self.table.put_if(
            schema,
            {
                "board": str(main),
                "item": _ITEMS[schema],
                "publish_number": progress.publish_number,
                "position": progress.position or "",
            },
            condition="attribute_not_exists(#board) OR #publish_number <= :publish_number",
            values={"publish_number": progress.publish_number},
        )


_ITEMS = {Schema.BEGUN_BOARDS: "begun", Schema.CLOSED_WINDOWS: "windows"}
