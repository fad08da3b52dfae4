"""Markers in the access table: that something was done or asked for, until it is forgotten."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.keys import ResultKey


@dataclass(frozen=True, slots=True)
class FlagStore:
    """The markers of sweeps and rescores; each is forgotten by itself."""

    table: Table

    def mark(self, key: str, *, now: datetime, keep: timedelta) -> bool:
        """Set a marker; False where it stands already and still counts.

        Args:
            key: What is marked: `swept`, `asked` or `queued` below.
            now: The time.
            keep: For how long it counts; DynamoDB deletes it some time after that.
        """
        try:
            self.table.put(
                Schema.MARKER,
                {"key": key, "expires_at": int((now + keep).timestamp())},
                condition="attribute_not_exists(#key) OR #expires_at <= :now",
                values={"now": int(now.timestamp())},
            )
        except Conflict:
            return False
        return True

    def stands(self, key: str, *, now: datetime) -> bool:
        """Tell (consistently) whether a marker stands and still counts."""
        item = self.table.get(Schema.MARKER, key=key)
        return item is not None and int(item["expires_at"]) > int(now.timestamp())


def swept(key: ResultKey) -> str:
    """Name the marker of a result that the sweep has put on the queue again."""
    return f"sweep#{key.benchmark}#{key.submission}"


def asked(benchmark: str, *, revision: int) -> str:
    """Name the marker of a rescore that somebody has asked for, of one publishing."""
    return f"rescore#{benchmark}#{revision}"


def queued(benchmark: str, *, revision: int) -> str:
    """Name the marker of a rescore whose results were all put on the queue."""
    return f"rescore#{benchmark}#{revision}#queued"
