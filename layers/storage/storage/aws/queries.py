"""Reads of more than one item: by their keys, by a prefix of the key, by an index from its newest item on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import batched
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from storage.aws.errors import Busy, aws_errors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MAX_TRIES = 20
MAX_READS = 20
_BATCH = 100

type Item = Mapping[str, Any]
"""In DynamoDB's form."""


class Page[Entry](NamedTuple):
    """Entries, newest first, and the position behind which older ones may follow; None: there are none."""

    entries: tuple[Entry, ...]
    position: str | None


def read_items(dynamodb: "DynamoDBClient", *, table: str, keys: Iterable[Item]) -> Iterator[Item]:
    """Read the items of these keys (consistent), in any order; one that is not there is left out.

    Raises:
        Busy: Throttled too often.
    """
    for batch in batched(keys, _BATCH, strict=False):
        left = cast("list[dict[str, Any]]", list(batch))
        for _ in range(MAX_TRIES):
            with aws_errors(f"read items of {table}"):
                answer = dynamodb.batch_get_item(RequestItems={table: {"Keys": left, "ConsistentRead": True}})
            yield from answer["Responses"].get(table, ())
            if table not in answer["UnprocessedKeys"]:
                break
            left = cast("list[dict[str, Any]]", answer["UnprocessedKeys"][table]["Keys"])
        else:
            raise Busy(f"read items of {table}: {len(left)} keys left after {MAX_TRIES} tries")


def read_prefix(
    dynamodb: "DynamoDBClient",
    *,
    table: str,
    key: tuple[str, str],
    sort: tuple[str, str],
    only: tuple[str, str] | None = None,
    attributes: Sequence[str] = (),
) -> Iterator[Item]:
    """Read the items of a key whose sort key begins so (consistent), in its order.

    Args:
        dynamodb: The client.
        table: The table.
        key: Name and value of the key.
        sort: Name of the sort key, and its prefix; without one, all items of the key.
        only: Name and value of an attribute; items with another one are passed over.
        attributes: What is read of an item; nothing: all of it.
    """
    named = {"key": key, "sort": sort, "only": only}
    given = {name: pair for name, pair in named.items() if pair is not None and pair[1]}
    names = {**{f"#{name}": pair[0] for name, pair in given.items()}, **{f"#{one}": one for one in attributes}}
    options: dict[str, Any] = {}
    if only is not None:
        options["FilterExpression"] = "#only = :only"
    if attributes:
        options["ProjectionExpression"] = ", ".join(f"#{one}" for one in attributes)
    pages = dynamodb.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="#key = :key" + (" AND begins_with(#sort, :sort)" if sort[1] else ""),
        ExpressionAttributeNames=names,
        ExpressionAttributeValues={f":{name}": {"S": pair[1]} for name, pair in given.items()},
        ConsistentRead=True,
        **options,
    )
    with aws_errors(f"read {sort[1]}… of {key[1]}"):
        for page in pages:
            yield from page["Items"]


def scan_prefix(dynamodb: "DynamoDBClient", *, table: str, prefix: str) -> Iterator[Item]:
    """Read the items whose `key` begins so (consistent), by reading the whole table: for the command line."""
    pages = dynamodb.get_paginator("scan").paginate(
        TableName=table,
        FilterExpression="begins_with(#key, :prefix)",
        ExpressionAttributeNames={"#key": "key"},
        ExpressionAttributeValues={":prefix": {"S": prefix}},
        ConsistentRead=True,
    )
    with aws_errors(f"read {prefix}… of {table}"):
        for page in pages:
            yield from page["Items"]


class TableIndex(NamedTuple):
    """An index of the submissions table, sorted by submission.

    Args:
        name: Its name.
        key: The attribute that it is kept by.
        attributes: What is read of an item; nothing: all of it.
    """

    name: str
    key: str
    attributes: Sequence[str] = ()


def read_newest[Entry](
    dynamodb: "DynamoDBClient",
    *,
    table: str,
    index: TableIndex,
    value: str,
    before: str | None,
    length: int,
    read: Callable[[Item], Entry | None],
) -> Page[Entry]:
    """Read a page of an index, newest first, a moment behind what was written.

    Args:
        dynamodb: The client.
        table: The submissions table.
        index: Which one.
        value: Of its key.
        before: Only items behind this position; None: from the newest on.
        length: How many entries at most; fewer where very many items between are none.
        read: From an item to an entry; None where it is passed over.
    """
    entries: list[Entry] = []
    for _ in range(MAX_READS):
        items, more = _query(dynamodb, table=table, index=index, value=value, before=before, limit=length + 1)
        for item in items:
            entry = read(item)
            if entry is not None:
                if len(entries) == length:
                    return Page(tuple(entries), before)
                entries.append(entry)
            before = item["submission_version"]["S"]
        if not more:
            return Page(tuple(entries), None)
    return Page(tuple(entries), before)


def _query(
    dynamodb: "DynamoDBClient", *, table: str, index: TableIndex, value: str, before: str | None, limit: int
) -> tuple[list[dict[str, Any]], bool]:
    """Give items, and whether there may be more."""
    condition, values = "#key = :value", {":value": {"S": value}}
    if before is not None:
        condition, values = f"{condition} AND submission_version < :before", {**values, ":before": {"S": before}}
    names = {f"#{name}": name for name in index.attributes}
    projection: dict[str, Any] = {"ProjectionExpression": ", ".join(names)} if names else {}
    with aws_errors(f"read {index.name} of {value}"):
        answer = dynamodb.query(
            TableName=table,
            IndexName=index.name,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            ExpressionAttributeNames={"#key": index.key, **names},
            ScanIndexForward=False,
            Limit=limit,
            **projection,
        )
    return answer["Items"], "LastEvaluatedKey" in answer
