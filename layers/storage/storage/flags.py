"""Flags in the access table: that something was done or requested, for a while."""

from datetime import datetime, timedelta
from typing import NamedTuple

from storage.gateway.conditions import Absent, AtMost
from storage.gateway.schema import Schema
from storage.gateway.table import Table
from storage.keys import ResultKey


class FlagStore(NamedTuple):
    """The flags of sweeps and rescores."""

    table: Table

    def set(self, key: str, *, now: datetime, keep: timedelta) -> bool:
        """Set a flag for a while; return False if it is set already."""
        return self.table.put_if(
            Schema.FLAG,
            {"key": key, "expires_at": int((now + keep).timestamp())},
            Absent("key") | AtMost("expires_at", int(now.timestamp())),
        )

    def is_set(self, key: str, *, now: datetime) -> bool:
        """Return whether a flag is set (consistent)."""
        item = self.table.get(Schema.FLAG, key=key)
        return item is not None and int(item["expires_at"]) > int(now.timestamp())


def sweep_flag(key: ResultKey) -> str:
    """Return the flag of a result that the sweep has queued again."""
    return f"sweep#{key.benchmark}#{key.submission}"


def rescore_flag(benchmark: str, *, version: str, published_at: datetime) -> str:
    """Return the flag of a requested rescore, by what it makes current.

    Bans do not change that, while they raise the publish number.
    """
    return f"rescore#{benchmark}#{version}#{published_at.isoformat()}"


def queued_flag(benchmark: str, *, publish_number: int) -> str:
    """Return the flag of a rescore whose results were all queued."""
    return f"rescore#{benchmark}#{publish_number}#queued"
