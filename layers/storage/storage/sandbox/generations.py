"""Generations of sandbox tenants, in the access table: a spent environment is left behind by raising its number."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.aws.conditional import put_item
from storage.aws.errors import Conflict, aws_errors
from storage.aws.schema import Schema

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class SandboxGenerations:
    """One counter for each benchmark version whose script ever left an environment spent."""

    dynamodb: "DynamoDBClient"
    table: str

    def read(self, version: str) -> int:
        """Give the present generation (consistent); 0 where none was ever left."""
        with aws_errors(f"read the generation of {version}"):
            answer = self.dynamodb.get_item(
                TableName=self.table, Key={"key": {"S": _key(version)}}, ConsistentRead=True
            )
        return int(Schema.GENERATION.read(answer["Item"])["generation"]) if "Item" in answer else 0

    def leave(self, version: str, generation: int) -> None:
        """Leave a generation; nothing happens where somebody did so already."""
        try:
            put_item(
                self.dynamodb,
                table=self.table,
                form=Schema.GENERATION,
                item={"key": _key(version), "schema": Schema.GENERATION.schema, "generation": generation + 1},
                condition="#generation = :seen" if generation else "attribute_not_exists(#key)",
                values={"seen": generation} if generation else None,
            )
        except Conflict:
            return


def _key(version: str) -> str:
    return f"sandbox#{version}"
