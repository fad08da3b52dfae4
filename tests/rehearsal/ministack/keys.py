# imported by scripts beside it, and by tests
"""What DynamoDB tells IAM of a request: `dynamodb:LeadingKeys` and `dynamodb:Attributes`."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

type Request = Mapping[str, Any]

_EQUAL: Final = re.compile(r"(#\w+) = (:\w+)")


def find_keys(request: Request, find_partition: Callable[[str, str | None], str]) -> set[str]:
    """Return the partition keys of the items of a request, or of its query.

    Args:
        request: As the client sends it.
        find_partition: Returns the attribute that is the partition key of a table, or of one of its indexes.
    """
    keys = {item[find_partition(table, None)]["S"] for table, item in _list_items(request)}
    if "KeyConditionExpression" in request:
        names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
        equal = {names[name]: values[value]["S"] for name, value in _EQUAL.findall(request["KeyConditionExpression"])}
        keys.add(equal[find_partition(request["TableName"], request.get("IndexName"))])
    return keys


def find_attributes(request: Request) -> set[str]:
    """Return the attributes that a write names, those of its key included."""
    parts = [part for action in request.get("TransactItems", ()) for part in action.values()] or [request]
    return {
        name
        for part in parts
        for name in (*part.get("ExpressionAttributeNames", {}).values(), *_find_item(part))
        if "Item" in part or "UpdateExpression" in part
    }


def _list_items(request: Request) -> Iterator[tuple[str, Request]]:
    """Yield the table and the key, or all, of each item."""
    for table, batch in request.get("RequestItems", {}).items():
        named = batch["Keys"] if "Keys" in batch else [_find_item(*write.values()) for write in batch]
        yield from ((table, item) for item in named)
    for action in request.get("TransactItems", ()):
        yield from ((part["TableName"], _find_item(part)) for part in action.values())
    if item := _find_item(request):
        yield request["TableName"], item


def _find_item(request: Request) -> Request:
    item: Request = request.get("Item") or request.get("Key") or {}
    return item
