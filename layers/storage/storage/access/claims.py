"""Claims in the access table: what belongs to the first who asked for it.

A benchmark that was created over HTTP belongs to the player who created it, and a run ticket to one submission.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from storage.aws.conditions import Absent, Equals
from storage.aws.schema import Schema
from storage.aws.table import Table


@dataclass(frozen=True, slots=True)
class ClaimStore:
    """One item a claim, by what `created` and `spent` return; nobody gets it back, and it never changes."""

    table: Table

    def find(self, key: str) -> str | None:
        """Return whose a thing is (consistent); None if it is nobody's."""
        item = self.table.get(Schema.CLAIM, key=key)
        return str(item["holder"]) if item else None

    def find_all(self, keys: Iterable[str]) -> dict[str, str]:
        """Return key → holder, of what is somebody's (consistent). Raises Busy."""
        items = map(Schema.CLAIM.read, self.table.get_many({"key": key} for key in keys))
        return {str(item["key"]): str(item["holder"]) for item in items}

    def claim(self, key: str, *, holder: str, expires_at: datetime | None = None) -> bool:
        """Claim a thing, until a time if there is one; return False if it is another's."""
        expiry = {"expires_at": int(expires_at.timestamp())} if expires_at else {}
        return self.table.put_if(
            Schema.CLAIM,
            {"key": key, "holder": holder, **expiry},
            Absent("key") | Equals("holder", holder),
        )


def created(benchmark: str) -> str:
    """Return the key of a benchmark that a player created."""
    return f"owner#{benchmark}"


def spent(ticket: str) -> str:
    """Return the key of a run ticket, by what no other ticket has."""
    return f"ticket#{ticket}"
