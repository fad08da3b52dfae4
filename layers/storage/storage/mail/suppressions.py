"""Addresses that get no more mail, because it bounced or they complained."""

from dataclasses import dataclass
from datetime import datetime

from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table

_ITEM = "suppression"


@dataclass(frozen=True, slots=True)
class SuppressionStore:
    """One item an address in the mail table; the first reason stays. To lift it, an operator deletes the item."""

    table: Table

    def suppress(self, address: str, *, reason: str, now: datetime) -> None:
        """Send no more mail to an address.

        Args:
            address: In any case.
            reason: `bounce` or `complaint`, with what the other side reported.
            now: The time.
        """
        item = {"thread": _key(address), "item": _ITEM, "reason": reason, "at": now.isoformat()}
        try:
            self.table.put(Schema.SUPPRESSION, item, condition="attribute_not_exists(#item)")
        except Conflict:
            return

    def find_reason(self, address: str) -> str | None:
        """Return why an address is suppressed (consistent); None if it is not."""
        plain = self.table.get(Schema.SUPPRESSION, thread=_key(address), item=_ITEM)
        return None if plain is None else str(plain["reason"])


def _key(address: str) -> str:
    return f"address#{address.strip().lower()}"
