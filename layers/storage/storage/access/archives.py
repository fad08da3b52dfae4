"""Which benchmarks their owners have archived: one item each, which undoing deletes.

The schedule copies it to the benchmark's pointer, where submissions and boards find it without a request more.
"""

from dataclasses import dataclass
from datetime import datetime

from scoring_core.benchmarks.terms import ArchiveMark
from storage.aws.schema import Schema
from storage.aws.table import Table


@dataclass(frozen=True, slots=True)
class ArchiveStore:
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
        return self.table.put_if(Schema.ARCHIVE, item, condition="attribute_not_exists(#key)")

    def delete(self, benchmark: str) -> None:
        """Undo the archiving of a benchmark, if it is archived."""
        self.table.delete(key=_key(benchmark))


def _key(benchmark: str) -> str:
    return f"archive#{benchmark}"
