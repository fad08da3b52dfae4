"""Addresses that are never written to again, in the mail table: their mail bounced, or they complained."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from storage.aws.attributes import Plain
from storage.aws.conditional import put_item
from storage.aws.errors import Conflict, aws_errors
from storage.aws.schema import Schema

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
            "schema": Schema.SUPPRESSION.schema,
            "reason": reason,
            "at": now.isoformat(),
        }
        try:
            put_item(
                self.dynamodb,
                table=self.table,
                form=Schema.SUPPRESSION,
                item=item,
                condition="attribute_not_exists(#item)",
            )
        except Conflict:
            return

    def find_reason(self, address: str) -> str | None:
        """Give why an address is suppressed (consistent); None where it is not."""
        with aws_errors("read a suppressed address"):
            answer = self.dynamodb.get_item(
                TableName=self.table,
                Key={"thread": {"S": _key(address)}, "item": {"S": _ITEM}},
                ConsistentRead=True,
            )
        return str(Schema.SUPPRESSION.read(answer["Item"])["reason"]) if "Item" in answer else None


def _key(address: str) -> str:
    return f"address#{address.strip().lower()}"
