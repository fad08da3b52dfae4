"""Addresses that are never written to again, in the mail table: their mail bounced, or they complained."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ledger.attributes import Plain
from ledger.conditional import put_item
from ledger.errors import Conflict, translated
from ledger.forms import Form

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ITEM = "suppression"


@dataclass(frozen=True, slots=True)
class SuppressionStore:
    """One item an address; the first reason stands. An operator takes an address off by deleting its item."""

    dynamodb: "DynamoDBClient"
    table: str

    def suppress(self, address: str, *, reason: str, now: datetime) -> None:
        """Never write to an address again.

        Args:
            address: In any case.
            reason: `bounce` or `complaint`, with what the other side said.
            now: The time by our clock.
        """
        item: dict[str, Plain | None] = {
            "thread": _key(address),
            "item": _ITEM,
            "schema": Form.SUPPRESSION.schema,
            "reason": reason,
            "at": now.isoformat(),
        }
        try:
            put_item(
                self.dynamodb,
                table=self.table,
                form=Form.SUPPRESSION,
                item=item,
                condition="attribute_not_exists(#item)",
            )
        except Conflict:
            return

    def find_reason(self, address: str) -> str | None:
        """Give why an address is suppressed (consistent); None where it is not."""
        with translated("read a suppressed address"):
            answer = self.dynamodb.get_item(
                TableName=self.table,
                Key={"thread": {"S": _key(address)}, "item": {"S": _ITEM}},
                ConsistentRead=True,
            )
        return str(Form.SUPPRESSION.read(answer["Item"])["reason"]) if "Item" in answer else None


def _key(address: str) -> str:
    return f"address#{address.strip().lower()}"
