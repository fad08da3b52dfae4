"""DynamoDB and S3 as dictionaries of this process, with the conditions of writes: for millions of items.

Only what `Table` and `Bucket` call exists, and only expressions of the forms that they write are understood.
"""

import io
import marshal
import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from threading import RLock
from typing import Any, NoReturn

from botocore.exceptions import ClientError

MAX_PAGE_BYTES = 1_000_000
"""Of the items of a query's page, as DynamoDB limits it."""
MODIFIED = datetime(2026, 1, 1, tzinfo=UTC)

type Values = Mapping[str, Mapping[str, Any]]
type Condition = Callable[[Values, Values], bool]


@cache
def compile_condition(expression: str) -> Condition:
    """Return a condition as a function of the item, empty if there is none, and of the values."""
    source = re.sub(r"attribute_not_exists\(#(\w+)\)", r"('\1' not in item)", expression)
    source = re.sub(r"attribute_exists\(#(\w+)\)", r"('\1' in item)", source)
    source = re.sub(r"#(\w+) (<>|<=|>=|<|>|=) (:\w+)", r"compare(item, '\1', '\2', values['\3'])", source)
    source = source.replace(" AND ", " and ").replace(" OR ", " or ").replace("NOT ", "not ")
    return eval(f"lambda item, values: {source}", {"compare": _compare})  # noqa: S307  # expressions of our own


def _compare(item: Values, name: str, operator: str, value: Mapping[str, str]) -> bool:
    if name not in item:
        return operator == "<>"
    ((kind, stored),) = item[name].items()
    if kind not in value:
        return operator == "<>"
    left, right = (int(stored), int(value[kind])) if kind == "N" else (stored, value[kind])
    return {
        "<": left < right,
        "<=": left <= right,
        "=": left == right,
        ">=": left >= right,
        ">": left > right,
        "<>": left != right,
    }[operator]


def _fail(operation: str, code: str, **response: Any) -> NoReturn:
    raise ClientError({"Error": {"Code": code, "Message": code}, **response}, operation)  # type: ignore[typeddict-item]


@dataclass
class MemoryDynamo:
    """DynamoDB's client over tables in memory; items are kept as bytes, so that a million takes little memory.

    Args:
        keys: Table → the names of its partition key and, if it has one, its sort key.
        page_items: Items of a query's page at most; None: as many as are small enough.
    """

    keys: Mapping[str, tuple[str, ...]]
    page_items: int | None = None
    calls: Counter[str] = field(default_factory=Counter)
    _items: dict[tuple[str, ...], bytes] = field(default_factory=dict)
    _sorts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _lock: Any = field(default_factory=RLock)

    def stock(self, table: str, items: Iterable[Values]) -> None:
        """Store many items at once, whatever is stored; no call is counted."""
        added: dict[tuple[str, str], list[str]] = {}
        for item in items:
            key = self._key_of(table, item)
            if key not in self._items:
                added.setdefault((table, key[1]), []).append(key[-1])
            self._items[key] = marshal.dumps(item)
        for partition, sorts in added.items():
            self._sorts[partition] = sorted([*self._sorts.get(partition, ()), *sorts])

    def list_items(self, table: str) -> dict[tuple[str, ...], Any]:
        """Return the items of a table by their keys; no call is counted."""
        return {key[1:]: self._find(key) for key in self._items if key[0] == table}

    def get_item(self, *, TableName: str, Key: Values, **_: Any) -> Any:  # noqa: N803  # boto3's names, here and below
        """Read an item."""
        with self._count("GetItem"):
            item = self._find(self._key_of(TableName, Key))
        return {} if item is None else {"Item": item}

    def batch_get_item(self, *, RequestItems: Mapping[str, Any]) -> Any:  # noqa: N803
        """Read items of one table."""
        ((table, request),) = RequestItems.items()
        with self._count("BatchGetItem"):
            items = [self._find(self._key_of(table, key)) for key in request["Keys"]]
        return {"Responses": {table: [item for item in items if item is not None]}, "UnprocessedKeys": {}}

    def put_item(
        self,
        *,
        TableName: str,  # noqa: N803
        Item: Values,  # noqa: N803
        ConditionExpression: str = "",  # noqa: N803
        ExpressionAttributeValues: Values | None = None,  # noqa: N803
        **_: Any,
    ) -> Any:
        """Write an item on a condition."""
        key = self._key_of(TableName, Item)
        with self._count("PutItem"):
            self._check("PutItem", key, ConditionExpression, ExpressionAttributeValues or {})
            self._keep(TableName, Item)
        return {}

    def transact_write_items(self, *, TransactItems: Sequence[Mapping[str, Any]]) -> Any:  # noqa: N803
        """Write items, each on its condition, or none."""
        puts = [action["Put"] for action in TransactItems]
        with self._count("TransactWriteItems"):
            holds = [
                compile_condition(put["ConditionExpression"])(
                    self._find(self._key_of(put["TableName"], put["Item"])) or {}, put["ExpressionAttributeValues"]
                )
                for put in puts
            ]
            if not all(holds):
                reasons = [{"Code": "None" if each else "ConditionalCheckFailed"} for each in holds]
                _fail("TransactWriteItems", "TransactionCanceledException", CancellationReasons=reasons)
            for put in puts:
                self._keep(put["TableName"], put["Item"])
        return {}

    def delete_item(
        self,
        *,
        TableName: str,  # noqa: N803
        Key: Values,  # noqa: N803
        ConditionExpression: str = "",  # noqa: N803
        ExpressionAttributeValues: Values | None = None,  # noqa: N803
        **_: Any,
    ) -> Any:
        """Delete an item on a condition."""
        key = self._key_of(TableName, Key)
        with self._count("DeleteItem"):
            self._check("DeleteItem", key, ConditionExpression, ExpressionAttributeValues or {})
            if self._items.pop(key, None) is not None:
                self._sorts[TableName, key[1]].remove(key[-1])
        return {}

    def get_paginator(self, operation: str) -> "MemoryDynamo":
        """Return the paginator of queries."""
        assert operation == "query", operation
        return self

    def paginate(self, **request: Any) -> Iterator[Any]:
        """Query a partition page by page."""
        last: str | None = None
        while True:
            page, last = self.read_page(last, **request)
            yield {"Items": page}
            if last is None:
                return

    def read_page(
        self,
        last: str | None,
        *,
        TableName: str,  # noqa: N803
        KeyConditionExpression: str,  # noqa: N803
        ExpressionAttributeValues: Values,  # noqa: N803
        ProjectionExpression: str = "",  # noqa: N803
        ExpressionAttributeNames: Mapping[str, str] | None = None,  # noqa: N803
        **_: Any,
    ) -> tuple[list[Any], str | None]:
        """Return the items of a page after a sort key, and its last sort key if more may follow.

        A query is for the beginning or the start of the sort key, or for all between two.
        """
        assert "<" not in KeyConditionExpression, KeyConditionExpression
        values = {name: value["S"] for name, value in ExpressionAttributeValues.items()}
        start = values.get(":sort", "")
        prefix = start if "begins_with" in KeyConditionExpression else ""
        names = [(ExpressionAttributeNames or {})[name] for name in ProjectionExpression.split(", ") if name]
        items: list[Any] = []
        size = 0
        with self._count("Query"):
            sorts = self._sorts.get((TableName, values[":key"]), [])
            for position in range(bisect_left(sorts, start) if last is None else bisect_right(sorts, last), len(sorts)):
                sort = sorts[position]
                if not sort.startswith(prefix) or sort > values.get(":last", sort):
                    break
                packed = self._items[TableName, values[":key"], sort]
                item = marshal.loads(packed)  # noqa: S302  # our own
                items.append({name: item[name] for name in names if name in item} if names else item)
                size += len(packed)
                if size > MAX_PAGE_BYTES or len(items) == self.page_items:
                    return items, sort
        return items, None

    def _check(self, operation: str, key: tuple[str, ...], condition: str, values: Values) -> None:
        if condition:
            before = self._find(key)
            if not compile_condition(condition)(before or {}, values):
                _fail(operation, "ConditionalCheckFailedException", **({"Item": before} if before else {}))

    def _keep(self, table: str, item: Values) -> None:
        key = self._key_of(table, item)
        if key not in self._items:
            insort(self._sorts.setdefault((table, key[1]), []), key[-1])
        self._items[key] = marshal.dumps(item)

    def _find(self, key: tuple[str, ...]) -> Any:
        packed = self._items.get(key)
        return None if packed is None else marshal.loads(packed)  # noqa: S302  # our own

    def _key_of(self, table: str, item: Values) -> tuple[str, ...]:
        return (table, *(item[name]["S"] for name in self.keys[table]))

    def _count(self, operation: str) -> Any:
        self.calls[operation] += 1
        return self._lock


@dataclass
class MemoryS3:
    """S3's client over buckets in memory."""

    calls: Counter[str] = field(default_factory=Counter)
    bytes_written: int = 0
    objects: dict[tuple[str, str], tuple[bytes, str]] = field(default_factory=dict)
    """Bucket and key → body and ETag."""
    _writes: int = 0
    _lock: Any = field(default_factory=RLock)

    def get_object(self, *, Bucket: str, Key: str, **_: Any) -> Any:  # noqa: N803
        """Read an object."""
        with self._count("GetObject"):
            stored = self.objects.get((Bucket, Key))
        if stored is None:
            _fail("GetObject", "NoSuchKey")
        body, etag = stored
        answer = {"ETag": etag, "Metadata": {}, "ContentLength": len(body), "LastModified": MODIFIED}
        return {"Body": io.BytesIO(body), **answer}

    def put_object(
        self,
        *,
        Bucket: str,  # noqa: N803
        Key: str,  # noqa: N803
        Body: bytes,  # noqa: N803
        IfMatch: str | None = None,  # noqa: N803
        IfNoneMatch: str | None = None,  # noqa: N803
        **_: Any,
    ) -> Any:
        """Write an object on a condition."""
        with self._count("PutObject"):
            stored = self.objects.get((Bucket, Key))
            if IfMatch is not None and stored is None:
                _fail("PutObject", "NoSuchKey")
            if (IfNoneMatch is not None and stored is not None) or (stored and IfMatch not in {None, stored[1]}):
                _fail("PutObject", "PreconditionFailed")
            self._writes += 1
            etag = f'"{self._writes}"'
            self.objects[Bucket, Key] = (Body, etag)
            self.bytes_written += len(Body)
        return {"ETag": etag}

    def _count(self, operation: str) -> Any:
        self.calls[operation] += 1
        return self._lock
