"""S3 and DynamoDB as dictionaries of this process: what is left of a handler's time is its own.

They take the calls, the conditions and the changes that submit, evaluate and aggregate make of them, and know no other:
anything else is a KeyError or an AttributeError, never a wrong answer.
"""

import hashlib
import io
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from storage.aws.table import NOT_NEWER

type Item = dict[str, Any]
type Values = Mapping[str, Any]
type Condition = Callable[[Item, Values], bool]

RESULTS, SITE = "results", "site"
SUBMISSIONS, BOARDS, ACCESS = "submissions", "boards", "access"
KEYS = {SUBMISSIONS: ("benchmark", "submission_version"), BOARDS: ("board", "item"), ACCESS: ("key",)}


def _number(value: Mapping[str, Any]) -> int:
    return int(value["N"])


def _ids(item: Item, name: str) -> set[str]:
    return item[name]["SS"] if name in item else set()


def _may_charge(item: Item, values: Values) -> bool:
    used, invalid = _ids(item, "used"), _ids(item, "invalid")
    free = len(used) < _number(values[":per_day"]) and len(invalid) < _number(values[":invalid_per_day"])
    freed = _number(item["freed"]) if "freed" in item else 0
    return values[":id"]["S"] in used or (free and freed < _number(values[":freeable"]))


CONDITIONS: Mapping[str, Condition] = {
    "attribute_not_exists(#key)": lambda item, _: not item,
    "attribute_not_exists(#board)": lambda item, _: not item,
    "attribute_not_exists(#key) OR #player = :player": lambda item, new: not item or item["player"] == new[":player"],
    "attribute_not_exists(#key) OR #expires_at < :now": (
        lambda item, new: not item or _number(item["expires_at"]) < _number(new[":now"])
    ),
    "attribute_not_exists(#benchmark) OR #outcome = :internal_error": (
        lambda item, new: not item or item["outcome"] == new[":internal_error"]
    ),
    "attribute_not_exists(#board) OR #revision < :revision": (
        lambda item, new: not item or _number(item["revision"]) < _number(new[":revision"])
    ),
    "#counter = :counter": lambda item, new: bool(item) and item["counter"] == new[":counter"],
    "contains(#used, :id) OR ((attribute_not_exists(#used) OR size(#used) < :per_day)"
    " AND (attribute_not_exists(#invalid) OR size(#invalid) < :invalid_per_day)"
    " AND (attribute_not_exists(#freed) OR #freed < :freeable))": _may_charge,
}


def _charge(item: Item, values: Values) -> Item:
    used = {"SS": _ids(item, "used") | set(values[":ids"]["SS"])}
    return {**item, "schema": values[":schema"], "expires_at": values[":expires_at"], "used": used}


CHANGES: Mapping[str, Callable[[Item, Values], Item]] = {
    "SET #schema = :schema, #expires_at = :expires_at ADD #used :ids": _charge,
}


@dataclass
class MemoryDynamoDB:
    """The tables: partition → sort key → item, and the sort keys in order."""

    partitions: dict[tuple[str, str], dict[str, Item]] = field(default_factory=lambda: defaultdict(dict))
    order: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def get_item(self, *, TableName: str, Key: Item, ConsistentRead: bool) -> dict[str, Any]:  # noqa: N803, ARG002  # as AWS names them
        """Read an item."""
        item = self._find(TableName, Key)
        return {"Item": item} if item else {}

    def put_item(self, **request: Any) -> None:
        """Write an item on a condition."""
        table, item = request["TableName"], request["Item"]
        self._check(self._find(table, item), request)
        self._keep(table, item)

    def update_item(self, **request: Any) -> None:
        """Change an item on a condition."""
        table, key = request["TableName"], request["Key"]
        before = self._find(table, key)
        self._check(before, request)
        self._keep(table, {**key, **CHANGES[request["UpdateExpression"]](before, request["ExpressionAttributeValues"])})

    def batch_get_item(self, *, RequestItems: Mapping[str, Any]) -> dict[str, Any]:  # noqa: N803  # as AWS names it
        """Read items."""
        found = {table: [self._find(table, key) for key in asked["Keys"]] for table, asked in RequestItems.items()}
        return {
            "Responses": {table: [one for one in items if one] for table, items in found.items()},
            "UnprocessedKeys": {},
        }

    def get_paginator(self, operation: str) -> "MemoryDynamoDB":
        """Give what pages through a query; there is one page."""
        assert operation == "query"
        return self

    def paginate(self, **request: Any) -> Iterator[dict[str, Any]]:
        """Read the items of a key whose sort keys begin alike."""
        assert request["KeyConditionExpression"] == "#key = :key AND begins_with(#sort, :sort)"
        assert "FilterExpression" not in request
        values = request["ExpressionAttributeValues"]
        where, prefix = (request["TableName"], values[":key"]["S"]), values[":sort"]["S"]
        order, items = self.order[where], self.partitions[where]
        first = bisect_left(order, prefix)
        last = bisect_left(order, prefix + "\U0010ffff", first)
        yield {"Items": [items[sort] for sort in order[first:last]]}

    def items(self, table: str, partition: str) -> list[Item]:
        """Give the items of a partition, in order."""
        return [self.partitions[table, partition][sort] for sort in self.order[table, partition]]

    def _find(self, table: str, item: Item) -> Item:
        partition, sort = _place(table, item)
        return self.partitions[table, partition].get(sort, {})

    def _keep(self, table: str, item: Item) -> None:
        partition, sort = _place(table, item)
        items = self.partitions[table, partition]
        if sort not in items:
            insort(self.order[table, partition], sort)
        items[sort] = item

    def _check(self, item: Item, request: Mapping[str, Any]) -> None:
        # Nothing here was written by newer code.
        condition = request["ConditionExpression"].removeprefix("(").removesuffix(f") AND {NOT_NEWER}")
        if not CONDITIONS[condition](item, request.get("ExpressionAttributeValues", {})):
            raise _refusal("ConditionalCheckFailedException", "PutItem")


def _place(table: str, item: Item) -> tuple[str, str]:
    partition, *sort = (item[name]["S"] for name in KEYS[table])
    return partition, sort[0] if sort else ""


class _Object(NamedTuple):
    body: bytes
    etag: str
    metadata: Mapping[str, str]


@dataclass
class MemoryS3:
    """The buckets: (bucket, key) → object."""

    objects: dict[tuple[str, str], _Object] = field(default_factory=dict)

    def put_object(self, **request: Any) -> dict[str, Any]:
        """Write an object, with If-Match and If-None-Match."""
        where, body = (request["Bucket"], request["Key"]), request["Body"]
        standing = self.objects.get(where)
        if ("IfNoneMatch" in request and standing) or (
            "IfMatch" in request and (standing is None or standing.etag != request["IfMatch"])
        ):
            raise _refusal("PreconditionFailed", "PutObject")
        etag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
        self.objects[where] = _Object(body, etag, request.get("Metadata", {}))
        return {"ETag": etag}

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:  # noqa: N803  # as AWS names them
        """Read an object."""
        one = self.objects.get((Bucket, Key))
        if one is None:
            raise _refusal("NoSuchKey", "GetObject")
        return {
            "Body": io.BytesIO(one.body),
            "ETag": one.etag,
            "Metadata": one.metadata,
            "ContentLength": len(one.body),
        }

    def delete_object(self, *, Bucket: str, Key: str) -> None:  # noqa: N803  # as AWS names them
        """Delete an object."""
        self.objects.pop((Bucket, Key), None)

    def keys(self, bucket: str, prefix: str) -> list[str]:
        """List keys, in order."""
        return sorted(key for name, key in self.objects if name == bucket and key.startswith(prefix))


def _refusal(code: str, operation: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "refused by memory"}}, operation)


@dataclass
class MemorySession:
    """Stands for botocore's session: makes clients that never leave the process, and counts what is asked of them."""

    s3: MemoryS3 = field(default_factory=MemoryS3)
    dynamodb: MemoryDynamoDB = field(default_factory=MemoryDynamoDB)
    calls: int = 0

    def create_client(self, service: str, *, config: Any) -> Any:  # noqa: ARG002  # botocore's signature
        """Give the client of a service; of those that nothing here calls, None."""
        client = {"s3": self.s3, "dynamodb": self.dynamodb}.get(service)
        return client and _Counted(self, client)


@dataclass(frozen=True, slots=True)
class _Counted:
    session: MemorySession
    client: Any

    def __getattr__(self, call: str) -> Any:
        self.session.calls += 1
        return getattr(self.client, call)
