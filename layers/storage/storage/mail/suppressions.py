"""Addresses that are never written to again, in the mail table: their mail bounced, or they complained."""

from dataclasses import dataclass
from datetime import datetime

from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table

_ITEM = "suppression"


@dataclass(frozen=True, slots=True)
class SuppressionStore:
    """One item an address; the first reason stands. An operator takes an address off by deleting its item."""

    table: Table

    def suppress(self, address: str, *, reason: str, now: datetime) -> None:
        """Never write to an address again.

        Args:
            address: In any case.
            reason: `bounce` or `complaint`, with what the other side said.
            now: The time by our clock.
        """
        item = {"thread": _key(address), "item": _ITEM, "reason": reason, "at": now.isoformat()}
        try:
            self.table.put(Schema.SUPPRESSION, item, condition="attribute_not_exists(#item)")
        except Conflict:
            return

    def find_reason(self, address: str) -> str | None:
        """Give why an address is suppressed (consistent); None where it is not."""
        plain = self.table.get(Schema.SUPPRESSION, thread=_key(address), item=_ITEM)
        return None if plain is None else str(plain["reason"])


def _key(address: str) -> str:
    return f"address#{address.strip().lower()}"
