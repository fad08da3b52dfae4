"""DynamoDB: what the gateway asks of tables, as requests of its client. No other code calls DynamoDB."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING, Any

from storage.aws.attributes import marshal
from storage.aws.conditions import Equals, Item, ItemChange, ItemCondition, Placeholders, Put, Query, Update
from storage.aws.errors import MAX_TRIES, Busy

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

READ_AT_ONCE = 100
DELETED_AT_ONCE = 25

type Request = dict[str, Any]
"""The parameters of a call."""


@dataclass(frozen=True, slots=True)
class AwsTables:
    """The tables of a client."""

    client: "DynamoDBClient"

    def get(self, table: str, key: Mapping[str, str]) -> Item | None:
        """Read an item (consistent); None if it does not exist."""
        return self.client.get_item(**request_get(table, key)).get("Item")

    def get_many(self, table: str, keys: Sequence[Mapping[str, str]]) -> Iterator[Item]:
        """Read those of some items that exist (consistent), in any order. Raises Busy."""
        for batch in batched(keys, READ_AT_ONCE, strict=False):
            request = request_get_many(table, batch)
            for _ in range(MAX_TRIES):
                answer = self.client.batch_get_item(**request)
                yield from answer["Responses"].get(table, ())
                if not (left := answer["UnprocessedKeys"]):
                    break
                request = {"RequestItems": left}
            else:
                raise Busy(f"read items of {table}: {len(left[table]['Keys'])} keys left after {MAX_TRIES} tries")

    def put(self, table: str, put: Put) -> None:
        """Write an item on a condition."""
        self.client.put_item(**request_put(table, put))

    def transact(self, table: str, puts: Sequence[Put]) -> None:
        """Write different items, each on its condition, or none of them."""
        self.client.transact_write_items(**request_transaction(table, puts))

    def update(self, table: str, update: Update) -> Item:
        """Change an item on a condition; return what was changed, if it may be read."""
        return self.client.update_item(**request_update(table, update)).get("Attributes", {})

    def delete(self, table: str, key: Mapping[str, str], condition: ItemCondition | None) -> None:
        """Delete an item, if it exists, on a condition."""
        self.client.delete_item(**request_delete(table, key, condition))

    def delete_many(self, table: str, keys: Sequence[Mapping[str, str]]) -> None:
        """Delete the items of different keys that exist. Raises Busy."""
        for batch in batched(keys, DELETED_AT_ONCE, strict=False):
            request = request_delete_many(table, batch)
            for _ in range(MAX_TRIES):
                left: Any = self.client.batch_write_item(**request)["UnprocessedItems"]
                if not left:
                    break
                request = {"RequestItems": left}
            else:
                raise Busy(f"delete items of {table}: some are left after {MAX_TRIES} tries")

    def query(self, table: str, query: Query) -> Iterator[Sequence[Item]]:
        """Read the pages of a query, each when it is asked for."""
        # A page ends after 1 MB, however many items are asked for.
        for page in self.client.get_paginator("query").paginate(**request_query(table, query)):
            yield page["Items"]


def request_get(table: str, key: Mapping[str, str]) -> Request:
    """Return the request of a read."""
    return {"TableName": table, "Key": marshal(key), "ConsistentRead": True}


def request_get_many(table: str, keys: Sequence[Mapping[str, str]]) -> Request:
    """Return the request of a read of up to READ_AT_ONCE items."""
    return {"RequestItems": {table: {"Keys": [marshal(key) for key in keys], "ConsistentRead": True}}}


def request_put(table: str, put: Put) -> Request:
    """Return the request of a put."""
    return {
        "TableName": table,
        "Item": put.item,
        **_express(ConditionExpression=put.condition),
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def request_transaction(table: str, puts: Sequence[Put]) -> Request:
    """Return the request of puts of which all are made or none."""
    return {"TransactItems": [{"Put": request_put(table, put)} for put in puts]}


def request_update(table: str, update: Update) -> Request:
    """Return the request of an update."""
    shown = {"ReturnValues": "UPDATED_NEW", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    return {
        "TableName": table,
        "Key": marshal(update.key),
        **_express(UpdateExpression=update.change, ConditionExpression=update.condition),
        **(shown if update.may_read else {}),
    }


def request_delete(table: str, key: Mapping[str, str], condition: ItemCondition | None) -> Request:
    """Return the request of a deletion."""
    return {"TableName": table, "Key": marshal(key), **_express(ConditionExpression=condition)}


def request_delete_many(table: str, keys: Sequence[Mapping[str, str]]) -> Request:
    """Return the request of up to DELETED_AT_ONCE deletions."""
    return {"RequestItems": {table: [{"DeleteRequest": {"Key": marshal(key)}} for key in keys]}}


def request_query(table: str, query: Query) -> Request:
    """Return the request of a query, as its paginator takes it."""
    condition: ItemCondition = Equals(*query.key)
    if query.sort is not None:
        condition &= query.sort
    return {
        "TableName": table,
        **_express(query.attributes, KeyConditionExpression=condition, FilterExpression=query.keep),
        **({"ConsistentRead": True} if query.is_consistent else {}),
        **({"IndexName": query.index} if query.index else {}),
        **({"ScanIndexForward": False} if query.is_down else {}),
        **({"PaginationConfig": {"PageSize": query.length}} if query.length else {}),
    }


def _express(attributes: Collection[str] = (), **expressions: ItemCondition | ItemChange | None) -> Request:
    """Return the expressions of a request, and what their placeholders stand for."""
    placeholders = Placeholders()
    request: Request = {name: each.translate(placeholders) for name, each in expressions.items() if each is not None}
    if attributes:
        request["ProjectionExpression"] = ", ".join(map(placeholders.name, attributes))
    if placeholders.names:
        request["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        request["ExpressionAttributeValues"] = placeholders.values
    return request
