"""Which benchmarks their owners have archived: one item each, which undoing deletes.

The schedule copies it to the benchmark's pointer, where submissions and boards find it without a request more.
"""

from datetime import datetime
from typing import NamedTuple

from scoring_core.benchmarks.owner_changes import ArchiveMark
from storage.gateway.conditions import Absent, Equals
from storage.gateway.schema import Plain, Schema
from storage.gateway.table import Table


class Deletion(NamedTuple):
    """What an owner wants deleted: the archived benchmark, while it has this publish number."""

    publish_number: int
    player: str


class ArchiveStore(NamedTuple):
    """The archive marks in the access table."""

    table: Table

    def find(self, benchmark: str) -> ArchiveMark | None:
        """Return the mark of a benchmark (consistent); None if it is not archived."""
        item = self.table.get(Schema.ARCHIVE, key=_key(benchmark))
        if item is None:
            return None
        reason = item.get("reason")
        return ArchiveMark(datetime.fromisoformat(str(item["at"])), None if reason is None else str(reason))

    def put(self, benchmark: str, mark: ArchiveMark) -> bool:
        """Archive a benchmark; return False if it is archived already."""
        item = {"key": _key(benchmark), "at": mark.at.isoformat(), "reason": mark.reason}
        return self.table.put_if(Schema.ARCHIVE, item, Absent("key"))

    def find_deletion(self, benchmark: str) -> Deletion | None:
        """Return what is to be deleted (consistent); None if nothing is."""
        item = self.table.get(Schema.ARCHIVE, key=_key(benchmark))
        return Deletion(int(item["deletes"]), str(item["player"])) if item and "deletes" in item else None

    def put_deletion(self, benchmark: str, mark: ArchiveMark, deletion: Deletion) -> bool:
        """Have an archived benchmark deleted; return False if its mark changed."""
        at = mark.at.isoformat()
        item: dict[str, Plain | None] = {"key": _key(benchmark), "at": at, "reason": mark.reason}
        item |= {"deletes": deletion.publish_number, "player": deletion.player}
        return self.table.put_if(Schema.ARCHIVE, item, Equals("at", at))

    def undo(self, benchmark: str, mark: ArchiveMark) -> None:
        """Undo the archiving of a benchmark.

        Raises Conflict if the mark changed, or the benchmark is to be deleted.
        """
        self.table.delete(Equals("at", mark.at.isoformat()) & Absent("deletes"), key=_key(benchmark))

    def finish(self, benchmark: str, deletion: Deletion) -> None:
        """Delete the mark of what is deleted. Raises Conflict if it names another."""
        self.table.delete(Equals("deletes", deletion.publish_number), key=_key(benchmark))


def _key(benchmark: str) -> str:
    return f"archive#{benchmark}"
