"""A DynamoDB table: consistent reads, conditional writes, queries. No other code calls DynamoDB."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import batched, islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from storage.aws.attributes import Plain, Value, marshal
from storage.aws.errors import MAX_TRIES, Busy, Conflict, aws_errors, list_reasons
from storage.aws.schema import Schema

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

MAX_READS = 20
_BATCH = 100
_DELETED_AT_ONCE = 25
MAX_WRITES = 100
"""Of a transaction."""
_NAME = re.compile(r"#(\w+)")
NOT_NEWER = "(attribute_not_exists(#schema) OR #schema <= :newest)"
"""Joined to the conditions of writes, so that no item of newer code is overwritten."""

type Item = Mapping[str, Any]
"""In DynamoDB's form."""


class Page[Entry](NamedTuple):
    """Entries in order, and the position after which others may follow; None: there are none."""

    entries: tuple[Entry, ...]
    position: str | None


class TableIndex(NamedTuple):
    """An index of the submissions table, its partition key, and the attributes to read (empty: all of them)."""

    name: str
    key: str
    attributes: Sequence[str] = ()


class Write(NamedTuple):
    """An item that is written with its schema number on a condition; None is left out."""

    schema: Schema
    item: Mapping[str, Value | None]
    condition: str
    values: Mapping[str, Plain] = {}


@dataclass(frozen=True, slots=True)
class Table:
    """A table. Every write has a condition; `#name` in an expression stands for an attribute."""

    client: "DynamoDBClient"
    name: str

    def get(self, schema: Schema, **key: str) -> dict[str, Plain] | None:
        """Read an item (consistent); None if it does not exist. Raises NewerSchema."""
        item = self.get_item(**key)
        return None if item is None else schema.read(item)

    def get_item(self, **key: str) -> Item | None:
        """Read an item (consistent) in DynamoDB's form; None if it does not exist."""
        with aws_errors(f"read from {self.name}"):
            answer = self.client.get_item(TableName=self.name, Key=marshal(key), ConsistentRead=True)
        return answer.get("Item")

    def get_many(self, keys: Iterable[Mapping[str, str]]) -> Iterator[Item]:
        """Read the items of these keys that exist (consistent), in any order. Raises Busy."""
        for batch in batched(map(marshal, keys), _BATCH, strict=False):
            left = list(batch)
            for _ in range(MAX_TRIES):
                with aws_errors(f"read items of {self.name}"):
                    answer = self.client.batch_get_item(
                        RequestItems={self.name: {"Keys": left, "ConsistentRead": True}}
                    )
                yield from answer["Responses"].get(self.name, ())
                if self.name not in answer["UnprocessedKeys"]:
                    break
                left = cast("list[dict[str, Any]]", answer["UnprocessedKeys"][self.name]["Keys"])
            else:
                raise Busy(f"read items of {self.name}: {len(left)} keys left after {MAX_TRIES} tries")

    def put(
        self,
        schema: Schema,
        item: Mapping[str, Value | None],
        *,
        condition: str,
        values: Mapping[str, Plain] | None = None,
    ) -> None:
        """Write an item and its schema number on a condition; None is left out.

        Raises Conflict if the condition did not hold, NewerSchema if newer code wrote the existing item; both write
        nothing.
        """
        request = self._make_put(Write(schema, item, condition, values or {}))
        with _raise_newer(schema), aws_errors(f"write to {self.name}"):
            self.client.put_item(**request)

    def put_if(
        self,
        schema: Schema,
        item: Mapping[str, Plain | None],
        *,
        condition: str,
        values: Mapping[str, Plain] | None = None,
    ) -> bool:
        """Write as `put` does, and return whether the condition held. Raises NewerSchema."""
        try:
            self.put(schema, item, condition=condition, values=values)
        except Conflict:
            return False
        return True

    def transact(self, writes: Sequence[Write]) -> None:
        """Write up to 100 different items of 4 MB, each on its condition, or none of them.

        Raises Conflict if a condition did not hold, or another write was at one of the items; NewerSchema if newer code
        wrote one of them; Refused if an item is too large.
        """
        if len(writes) == 1:  # half the price
            (write,) = writes
            self.put(write.schema, write.item, condition=write.condition, values=write.values)
            return
        actions: list[Any] = [{"Put": self._make_put(write)} for write in writes]
        schemas = [write.schema for write in writes]
        with _raise_newer(*schemas), aws_errors(f"write {len(writes)} items of {self.name}"):
            self.client.transact_write_items(TransactItems=actions)

    def _make_put(self, write: Write) -> Any:
        guarded = f"({write.condition}) AND {NOT_NEWER}"
        return {
            "TableName": self.name,
            "Item": marshal({**write.item, "schema": write.schema.number}),
            "ConditionExpression": guarded,
            "ExpressionAttributeNames": _names(guarded),
            "ExpressionAttributeValues": _values({**write.values, "newest": write.schema.newest}),
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }

    def update(
        self,
        schema: Schema,
        key: Mapping[str, str],
        *,
        attributes: Mapping[str, Plain] | None = None,
        change: str = "",
        condition: str,
        values: Mapping[str, Value] | None = None,
        may_read: bool = True,
        returning: bool = False,
    ) -> Item:
        """Change attributes of an item on a condition; create it if it does not exist.

        `change` holds further clauses of the update expression. `may_read` is False if the caller's role may not read
        other attributes; the condition alone must then protect every existing item. `returning` asks for the changed
        attributes as they are now, which costs nothing; otherwise nothing is returned. Raises Conflict if the condition
        did not hold, NewerSchema if newer code wrote the existing item; both change nothing.
        """
        attributes = attributes or {}
        written: dict[str, Value] = {"schema": schema.number, **attributes, **(values or {})}
        request: dict[str, Any] = {}
        if may_read:
            condition, written = f"({condition}) AND {NOT_NEWER}", {**written, "newest": schema.newest}
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if returning:
            request["ReturnValues"] = "UPDATED_NEW"
        expression = f"SET {', '.join(f'#{name} = :{name}' for name in ('schema', *attributes))} {change}".rstrip()
        with _raise_newer(schema), aws_errors(f"change an item of {self.name}"):
            answer = self.client.update_item(
                TableName=self.name,
                Key=marshal(key),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeNames=_names(f"{expression} {condition}"),
                ExpressionAttributeValues=_values(written),
                **request,
            )
        return answer.get("Attributes", {})

    def delete(self, *, condition: str | None = None, values: Mapping[str, Plain] | None = None, **key: str) -> None:
        """Delete an item, if it exists. Raises Conflict if the condition did not hold."""
        request: dict[str, Any] = {}
        if condition is not None:
            request = {"ConditionExpression": condition, "ExpressionAttributeNames": _names(condition)}
            request["ExpressionAttributeValues"] = _values(values or {})
        with aws_errors(f"delete an item of {self.name}"):
            self.client.delete_item(TableName=self.name, Key=marshal(key), **request)

    def delete_many(self, keys: Iterable[Mapping[str, str]]) -> None:
        """Delete the items of these keys that exist, in any order. Raises Busy."""
        for batch in batched(map(marshal, keys), _DELETED_AT_ONCE, strict=False):
            left: Any = {self.name: [{"DeleteRequest": {"Key": key}} for key in batch]}
            for _ in range(MAX_TRIES):
                with aws_errors(f"delete items of {self.name}"):
                    left = self.client.batch_write_item(RequestItems=left)["UnprocessedItems"]
                if not left:
                    break
            else:
                raise Busy(f"delete items of {self.name}: some are left after {MAX_TRIES} tries")

    def query(
        self,
        *,
        key: tuple[str, str],
        prefix: tuple[str, str] | None = None,
        start: tuple[str, str] | None = None,
        between: tuple[str, str, str] | None = None,
        only: tuple[str, str] | None = None,
        attributes: Sequence[str] = (),
        index: str | None = None,
    ) -> Iterator[Item]:
        """Read a partition in order of the sort key; consistent, except from an index.

        Each pair is an attribute's name and its value; `between` has the first and the last value. Items whose `only`
        has another value are skipped. Without `attributes` all are read.
        """
        condition, named = "#key = :key", {"key": key}
        if prefix is not None and prefix[1]:
            condition, named = f"{condition} AND begins_with(#sort, :sort)", {**named, "sort": prefix}
        if start is not None:
            condition, named = f"{condition} AND #sort >= :sort", {**named, "sort": start}
        last: dict[str, str] = {}
        if between is not None:
            condition, named = f"{condition} AND #sort BETWEEN :sort AND :last", {**named, "sort": between[:2]}
            last = {"last": between[2]}
        request: dict[str, Any] = {"ConsistentRead": True} if index is None else {"IndexName": index}
        if only is not None:
            request["FilterExpression"], named["only"] = "#only = :only", only
        if attributes:
            request["ProjectionExpression"] = ", ".join(f"#{name}" for name in attributes)
        pages = self.client.get_paginator("query").paginate(
            TableName=self.name,
            KeyConditionExpression=condition,
            ExpressionAttributeNames={
                **{f"#{name}": attribute for name, (attribute, _) in named.items()},
                **{f"#{name}": name for name in attributes},
            },
            ExpressionAttributeValues=_values({name: value for name, (_, value) in named.items()} | last),
            **request,
        )
        with aws_errors(f"query {self.name}"):
            for page in pages:
                yield from page["Items"]

    def has_any(self, *, key: tuple[str, str], prefix: tuple[str, str]) -> bool:
        """Return whether a partition has an item whose sort key begins so (consistent)."""
        with aws_errors(f"query {self.name}"):
            answer = self.client.query(
                TableName=self.name,
                KeyConditionExpression="#key = :key AND begins_with(#sort, :sort)",
                ExpressionAttributeNames={"#key": key[0], "#sort": prefix[0]},
                ExpressionAttributeValues=_values({"key": key[1], "sort": prefix[1]}),
                ConsistentRead=True,
                Select="COUNT",
                Limit=1,
            )
        return answer["Count"] > 0

    def read_down(self, *, key: tuple[str, str], sort: str, above: str, below: str, length: int) -> Sequence[Item]:
        """Read items of a partition between two sort keys, exclusive, the last first.

        They may lack what was written a moment ago.
        """
        # A query ends after 1 MB, however many items are asked for; the paginator goes on.
        pages = self.client.get_paginator("query").paginate(
            TableName=self.name,
            KeyConditionExpression="#key = :key AND #sort BETWEEN :above AND :below",
            ExpressionAttributeNames={"#key": key[0], "#sort": sort},
            ExpressionAttributeValues=_values({"key": key[1], "above": above, "below": below}),
            ScanIndexForward=False,
            PaginationConfig={"PageSize": length + 2},
        )
        with aws_errors(f"query {self.name}"):
            items = (item for page in pages for item in page["Items"] if item[sort]["S"] not in {above, below})
            return list(islice(items, length))

    def read_page[Entry](
        self,
        index: TableIndex,
        value: str,
        *,
        before: str | None,
        length: int,
        read: Callable[[Item], Entry | None],
    ) -> Page[Entry]:
        """Read a page of an index after `before`, newest first, maybe without the latest.

        `read` returns an entry, or None to skip the item. A page has fewer entries than `length` if very many are
        skipped. A full page ends at its last entry, so that its position names no item that was skipped.
        """
        names = {f"#{name}": name for name in index.attributes}
        request: dict[str, Any] = {"ProjectionExpression": ", ".join(names)} if names else {}
        entries: list[Entry] = []
        last = before
        for _ in range(MAX_READS):
            condition, values = "#key = :value", {"value": value}
            if before is not None:
                condition, values = f"{condition} AND submission_version < :before", {**values, "before": before}
            with aws_errors(f"read {index.name} of {value}"):
                answer = self.client.query(
                    TableName=self.name,
                    IndexName=index.name,
                    KeyConditionExpression=condition,
                    ExpressionAttributeValues=_values(values),
                    ExpressionAttributeNames={"#key": index.key, **names},
                    ScanIndexForward=False,
                    Limit=length + 1,
                    **request,
                )
            for item in answer["Items"]:
                entry = read(item)
                if entry is not None:
                    if len(entries) == length:
                        return Page(tuple(entries), last)
                    entries.append(entry)
                before = item["submission_version"]["S"]
                last = last if entry is None else before
            if "LastEvaluatedKey" not in answer:
                return Page(tuple(entries), None)
        return Page(tuple(entries), before)


def _names(expression: str) -> dict[str, str]:
    return {f"#{name}": name for name in _NAME.findall(expression)}


def _values(values: Mapping[str, Value]) -> dict[str, Any]:
    return marshal({f":{name}": value for name, value in values.items()})


@contextmanager
def _raise_newer(*schemas: Schema) -> Iterator[None]:
    """Raise NewerSchema instead of Conflict if newer code wrote an existing item.

    A transaction writes items of these schemas, in this order.
    """
    try:
        yield
    except Conflict as error:
        cause: Any = error.__cause__  # a ClientError
        for schema, answer in zip(schemas, list_reasons(cause) or [cause.response], strict=False):
            schema.check(int(answer.get("Item", {}).get("schema", {}).get("N", 0)))
        raise
