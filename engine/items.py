"""DynamoDB: items, conditional writes, transactions, queries, indexes."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from engine.errors import ClientError, refuse
from engine.expressions import Attribute, Expressions, Item
from engine.limits import (
    MAX_BATCH_READ,
    MAX_BATCH_READ_BYTES,
    MAX_BATCH_WRITE,
    MAX_ITEM_BYTES,
    MAX_PAGE_BYTES,
    MAX_PARTITION_KEY_BYTES,
    MAX_RECORDS,
    MAX_RECORDS_BYTES,
    MAX_SORT_KEY_BYTES,
    MAX_TRANSACTION,
    MAX_TRANSACTION_BYTES,
    measure_item,
    normalize_value,
)
from engine.pages import Paginator
from engine.store import Held, Store

_SEPARATORS: Final = (",", ":")
_KEY_BYTES: Final = (MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES)
_NEEDED: Final = {
    "Put": frozenset({"Item"}),
    "Update": frozenset({"Key", "UpdateExpression"}),
    "Delete": frozenset({"Key"}),
}
"""A write of one item, and the parameters that it must have."""
_OPTIONS: Final = frozenset(
    {
        "TableName",
        "ConditionExpression",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ReturnValuesOnConditionCheckFailure",
        "ReturnValues",
    }
)
"""Parameters that every write may have."""
_READ: Final = 200
"""Rows of one query of SQLite."""


class KeyNames(NamedTuple):
    """The attributes of a key; `sort` is None where there is none."""

    hash: str
    sort: str | None


class Index(NamedTuple):
    """An index: its key, and the attributes that it holds; None: all."""

    keys: KeyNames
    attributes: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class TableForm:
    """What the template declares of a table."""

    name: str
    keys: KeyNames
    indexes: Mapping[str, Index]
    stream: str | None
    expires: str | None


class _Range(NamedTuple):
    """Sort keys of a partition, both ends included; `high` None: to the end."""

    partition: str
    low: str
    high: str | None


class Dynamodb:
    """The calls of DynamoDB's client that the gateway makes."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._forms: dict[str, TableForm] = {}

    # Items

    def get_item(
        self,
        *,
        TableName: str,
        Key: Item,
        ConsistentRead: bool = False,
    ) -> dict[str, Any]:
        """Read an item."""
        form = self._form("GetItem", TableName)
        item = self._find(form, self._key("GetItem", form, Key))
        return {} if item is None else {"Item": item}

    def put_item(self, **request: Any) -> dict[str, Any]:
        """Write an item on a condition."""
        return self._write_one("PutItem", "Put", request)

    def update_item(self, **request: Any) -> dict[str, Any]:
        """Change attributes of an item on a condition; create it if it does not exist."""
        return self._write_one("UpdateItem", "Update", request)

    def delete_item(self, **request: Any) -> dict[str, Any]:
        """Delete an item on a condition."""
        return self._write_one("DeleteItem", "Delete", request)

    def _write_one(self, operation: str, kind: str, request: Mapping[str, Any]) -> dict[str, Any]:
        step = self._read_step(operation, kind, request)
        with self._writing(operation):
            before = self._find(step.form, step.key)
            if not step.holds(before or {}):
                text, code = "The conditional request failed", "ConditionalCheckFailedException"
                raise refuse(operation, text, code, **step.show(before))
            after = step.change(before)
            self._write(operation, step.form, step.key, before, after)
        if "ReturnValues" not in request:
            return {}
        return {"Attributes": {name: after[name] for name in step.changed if after and name in after}}

    def transact_write_items(self, *, TransactItems: list[Mapping[str, Any]]) -> dict[str, Any]:
        """Put up to a hundred items, or none of them if one condition does not hold."""
        operation = "TransactWriteItems"
        if not 1 <= len(TransactItems) <= MAX_TRANSACTION:
            raise refuse(operation, f"Member must have length between 1 and {MAX_TRANSACTION}")
        if others := sorted({kind for action in TransactItems for kind in action} - {"Put"}):
            raise refuse(operation, f"expected items to put, found {others[0]}")
        steps = [self._read_step(operation, "Put", action["Put"]) for action in TransactItems]
        if len({(step.form.name, step.key) for step in steps}) < len(steps):
            raise refuse(operation, "Transaction request cannot include multiple operations on one item")
        with self._writing(operation, len(steps)):
            befores = [self._find(step.form, step.key) for step in steps]
            reasons = [step.find_reason(before) for step, before in zip(steps, befores, strict=True)]
            _cancel_if(reasons)
            total = 0
            for place, (step, before) in enumerate(zip(steps, befores, strict=True)):
                after = step.change(before)
                try:
                    self._write(operation, step.form, step.key, before, after)
                except ClientError as error:
                    if error.response["Error"]["Code"] != "ValidationException":
                        raise
                    reasons[place] = {"Code": "ValidationError", "Message": error.response["Error"]["Message"]}
                total += measure_item(after or {})
            _cancel_if(reasons)
            if total > MAX_TRANSACTION_BYTES:
                raise refuse(operation, "Transaction request size exceeded 4 MB")
        return {}

    def _read_step(self, operation: str, kind: str, request: Mapping[str, Any]) -> "_Step":
        """Return a write of one item. Raises ClientError: what it asks for is wrong."""
        if not _NEEDED[kind] <= request.keys() <= _NEEDED[kind] | _OPTIONS:
            raise refuse(operation, f"expected the parameters of {kind}, found {', '.join(sorted(request))}")
        if request.get("ReturnValues", "UPDATED_NEW") != "UPDATED_NEW":
            raise refuse(operation, f"ReturnValues: expected UPDATED_NEW, found {request['ReturnValues']}")
        form = self._form(operation, request["TableName"])
        expressions = Expressions(
            operation, request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues")
        )
        holds = expressions.condition(request.get("ConditionExpression"))
        named = _cut(form.keys, request["Item"]) if kind == "Put" else request["Key"]
        key, changed = self._key(operation, form, named), frozenset[str]()
        change: Callable[[dict[str, Attribute] | None], dict[str, Attribute] | None]
        match kind:
            case "Put":
                item: dict[str, Attribute] = {
                    name: normalize_value(operation, name, value) for name, value in request["Item"].items()
                }
                change = lambda _: item  # noqa: E731
            case "Update":
                apply = expressions.changes(request["UpdateExpression"])
                changed = frozenset(expressions.written_names(request["UpdateExpression"]))
                if keyed := sorted(changed & named.keys()):
                    raise refuse(operation, f"Cannot update attribute {keyed[0]}. This attribute is part of the key")
                change = lambda before: apply(named if before is None else before)  # noqa: E731
            case _:
                change = lambda _: None  # noqa: E731
        expressions.finish()
        shows_item = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        return _Step(form, key, holds, change, changed, shows_item)

    @contextmanager
    def _writing(self, operation: str, count: int = 0) -> Iterator[None]:
        """Make one transaction of the writes in the context; one that the file had no room for met another one."""
        try:
            with self.store.writing():
                yield
        except Held as error:
            message = "Transaction is ongoing for the item"
            if count:
                _cancel_if([{"Code": "TransactionConflict", "Message": message}] * count)
            raise refuse(operation, message, "TransactionConflictException") from error

    # Many items

    def batch_get_item(self, *, RequestItems: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Read up to a hundred items of tables."""
        operation, size = "BatchGetItem", 0
        responses: dict[str, list[Any]] = {}
        left: dict[str, Any] = {}
        if not 1 <= sum(len(request["Keys"]) for request in RequestItems.values()) <= MAX_BATCH_READ:
            raise refuse(operation, "Too many items requested for the BatchGetItem call")
        with self.store.reading():
            for table, request in RequestItems.items():
                form = self._form(operation, table)
                keys = [self._key(operation, form, key) for key in request["Keys"]]
                if len(set(keys)) < len(keys):
                    raise refuse(operation, "Provided list of item keys contains duplicates")
                responses[table] = []
                for place, key in enumerate(keys):
                    item = self._find(form, key)
                    size += measure_item(item or {})
                    if size > MAX_BATCH_READ_BYTES:
                        left[table] = {**request, "Keys": request["Keys"][place:]}
                        break
                    if item is not None:
                        responses[table].append(item)
        return {"Responses": responses, "UnprocessedKeys": left}

    def batch_write_item(self, *, RequestItems: Mapping[str, list[Mapping[str, Any]]]) -> dict[str, Any]:
        """Put or delete up to 25 items, each on its own."""
        operation = "BatchWriteItem"
        if not 1 <= sum(map(len, RequestItems.values())) <= MAX_BATCH_WRITE:
            raise refuse(operation, "Too many items requested for the BatchWriteItem call")
        with self.store.writing():
            seen: set[tuple[str, tuple[str, str]]] = set()
            for table, requests in RequestItems.items():
                form = self._form(operation, table)
                for request in requests:
                    item = request["PutRequest"]["Item"] if "PutRequest" in request else None
                    named = request["DeleteRequest"]["Key"] if item is None else _cut(form.keys, item)
                    key = self._key(operation, form, named)
                    if (table, key) in seen:
                        raise refuse(operation, "Provided list of item keys contains duplicates")
                    seen.add((table, key))
                    after = item and {name: normalize_value(operation, name, value) for name, value in item.items()}
                    self._write(operation, form, key, self._find(form, key), after)
        return {"UnprocessedItems": {}}

    def query(
        self,
        *,
        TableName: str,
        KeyConditionExpression: str,
        ExpressionAttributeNames: Mapping[str, str] | None = None,
        ExpressionAttributeValues: Item | None = None,
        FilterExpression: str | None = None,
        ProjectionExpression: str | None = None,
        IndexName: str | None = None,
        ConsistentRead: bool = False,
        ScanIndexForward: bool = True,
        ExclusiveStartKey: Item | None = None,
        Limit: int | None = None,
        Select: str | None = None,
    ) -> dict[str, Any]:
        """Read a page of a partition, in order of the sort key."""
        operation = "Query"
        form = self._form(operation, TableName)
        index = self._index(operation, form, IndexName)
        if index and ConsistentRead:
            raise refuse(operation, "Consistent reads are not supported on global secondary indexes")
        keys = index.keys if index else form.keys
        expressions = Expressions(operation, ExpressionAttributeNames, ExpressionAttributeValues)
        matches = expressions.condition(KeyConditionExpression)
        keep, project = expressions.condition(FilterExpression), expressions.projection(ProjectionExpression)
        expressions.finish()
        span = _read_key_condition(expressions, keys, KeyConditionExpression)
        if filtered := FilterExpression and sorted(expressions.named(FilterExpression) & set(keys)):
            text = "Filter Expression can only contain non-primary key attributes: Primary key attribute: "
            raise refuse(operation, f"{text}{filtered[0]}")
        wanted = _Page(Limit, keep, project, is_counted=Select == "COUNT")
        for item in self._rows(form, IndexName, span, ExclusiveStartKey, is_forward=ScanIndexForward):
            if matches(item) and not wanted.add(_project(index, item), _cut((*form.keys, *keys), item)):
                break
        return wanted.answer()

    def scan(
        self,
        *,
        TableName: str,
        FilterExpression: str | None = None,
        ExpressionAttributeNames: Mapping[str, str] | None = None,
        ExpressionAttributeValues: Item | None = None,
        ConsistentRead: bool = False,
        ExclusiveStartKey: Item | None = None,
        Limit: int | None = None,
    ) -> dict[str, Any]:
        """Read a page of a table."""
        form = self._form("Scan", TableName)
        expressions = Expressions("Scan", ExpressionAttributeNames, ExpressionAttributeValues)
        keep = expressions.condition(FilterExpression)
        expressions.finish()
        wanted = _Page(Limit, keep, dict, is_counted=False)
        after = self._key("Scan", form, ExclusiveStartKey) if ExclusiveStartKey else ("", "")
        sql = "SELECT item FROM items WHERE tbl = ? AND (hash, sort) > (?, ?) ORDER BY hash, sort LIMIT ?"
        while rows := self.store.read(sql, form.name, *after, _READ):
            for (text,) in rows:
                item = json.loads(text)
                if not wanted.add(item, _cut(form.keys, item)):
                    return wanted.answer()
            after = self._key("Scan", form, _cut(form.keys, item))
        return wanted.answer()

    def describe_table(self, *, TableName: str) -> dict[str, Any]:
        """Return the name of a table, and its stream's."""
        form = self._form("DescribeTable", TableName)
        stream = {"LatestStreamArn": form.name} if form.stream else {}
        return {"Table": {"TableName": form.name, **stream}}

    def get_paginator(self, operation: str) -> Paginator:
        """Return what reads all pages of `query` or `scan`."""
        return Paginator(
            self.query if operation == "query" else self.scan,
            {"ExclusiveStartKey": "LastEvaluatedKey"},
            size="Limit",
        )

    def expire(self) -> int:
        """Delete the items whose time to live is over; return how many there were."""
        deleted = 0
        for name in self.store.list_resources("table"):
            form = self._form("DeleteItem", name)
            with self.store.writing():
                sql = "SELECT hash, sort, item FROM items WHERE tbl = ? AND expires < ?"
                for partition, sort, text in self.store.read(sql, name, int(self.store.clock())):
                    self._write("DeleteItem", form, (partition, sort), json.loads(text), None)
                    deleted += 1
        return deleted

    # What the calls share

    def _form(self, operation: str, name: str) -> TableForm:
        form = self._forms.get(name)
        if form is None:
            properties = self.store.find_resource("table", name)
            if properties is None:
                raise refuse(operation, "Requested resource not found", "ResourceNotFoundException")
            form = self._forms[name] = _read_form(name, properties)
        return form

    def _index(self, operation: str, form: TableForm, name: str | None) -> Index | None:
        if name is None:
            return None
        if name not in form.indexes:
            raise refuse(operation, f"The table does not have the specified index: {name}")
        return form.indexes[name]

    def _key(self, operation: str, form: TableForm, key: Item) -> tuple[str, str]:
        if set(key) != {name for name in form.keys if name is not None}:
            raise refuse(operation, "The provided key element does not match the schema")
        read = [
            _read_key_text(operation, name, key, limit)
            for name, limit in zip(form.keys, _KEY_BYTES, strict=True)
            if name is not None
        ]
        return read[0], "".join(read[1:])

    def _find(self, form: TableForm, key: tuple[str, str]) -> dict[str, Attribute] | None:
        sql = "SELECT item FROM items WHERE tbl = ? AND hash = ? AND sort = ?"
        rows = self.store.read(sql, form.name, *key)
        return json.loads(rows[0][0]) if rows else None

    def _write(
        self,
        operation: str,
        form: TableForm,
        key: tuple[str, str],
        before: Item | None,
        after: Item | None,
    ) -> None:
        """Write an item, its entries of indexes and its stream record, inside a transaction."""
        if before == after:  # a write that changes nothing has no stream record
            return
        with self.store.writing() as connection:
            if after is None:
                connection.execute("DELETE FROM items WHERE tbl = ? AND hash = ? AND sort = ?", (form.name, *key))
            else:
                if measure_item(after) > MAX_ITEM_BYTES:
                    raise refuse(operation, "Item size has exceeded the maximum allowed size")
                _check_index_keys(operation, form, after)
                ends = after.get(form.expires, {}).get("N") if form.expires else None
                connection.execute(
                    "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?)",
                    (form.name, *key, _dump(after), None if ends is None else int(float(ends))),
                )
            for name, index in form.indexes.items():
                old, new = _entry_of(index, before), _entry_of(index, after)
                if old != new and old is not None:
                    connection.execute(
                        "DELETE FROM entries WHERE tbl = ? AND idx = ? AND hash = ? AND sort = ? AND base_hash = ? "
                        "AND base_sort = ?",
                        (form.name, name, *old, *key),
                    )
                if old != new and new is not None:
                    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", (form.name, name, *new, *key))
            if form.stream:
                record = _make_record(form, before, after)
                connection.execute(
                    "INSERT INTO records (tbl, at, record) VALUES (?, ?, ?)",
                    (form.name, self.store.clock(), _dump(record)),
                )

    def _rows(
        self, form: TableForm, index_name: str | None, span: _Range, start: Item | None, *, is_forward: bool
    ) -> Iterable[dict[str, Attribute]]:
        """Yield the items of a range, from the position on where a page ended."""
        order, beyond = ("ASC", ">") if is_forward else ("DESC", "<")
        after = None if start is None else self._key("Query", form, _cut(form.keys, start))
        at: tuple[str, ...] | None
        ordered: tuple[str, ...]
        if index_name is None:
            source, fixed = "items WHERE tbl = ? AND hash = ?", [form.name, span.partition]
            columns, ordered = "sort, item", ("sort",)
            at = None if after is None else (after[1],)
        else:
            source = (
                "entries JOIN items ON items.tbl = entries.tbl AND items.hash = base_hash AND items.sort = base_sort "
                "WHERE entries.tbl = ? AND idx = ? AND entries.hash = ?"
            )
            fixed, ordered = [form.name, index_name, span.partition], ("entries.sort", "base_hash", "base_sort")
            columns = "entries.sort, base_hash, base_sort, item"
            sort = form.indexes[index_name].keys.sort
            at = None if after is None else (start[sort]["S"] if sort and start else "", *after)
        source, fixed = f"{source} AND {ordered[0]} >= ?", [*fixed, span.low]
        if span.high is not None:
            source, fixed = f"{source} AND {ordered[0]} <= ?", [*fixed, span.high]
        by = ", ".join(f"{column} {order}" for column in ordered)
        while True:
            page = "" if at is None else f" AND ({', '.join(ordered)}) {beyond} ({', '.join('?' * len(at))})"
            sql = f"SELECT {columns} FROM {source}{page} ORDER BY {by} LIMIT {_READ}"  # noqa: S608  # no text of others
            rows = self.store.read(sql, *fixed, *(at or ()))
            for row in rows:
                yield json.loads(row[-1])
            if len(rows) < _READ:
                return
            at = tuple(rows[-1][:-1])


class Streams:
    """The calls of DynamoDB Streams that readers make; a stream has one shard, and is named after its table."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def describe_stream(self, *, StreamArn: str) -> dict[str, Any]:
        """Return the shard of a stream."""
        return {"StreamDescription": {"Shards": [{"ShardId": "shardId-00000000000000000000-engine"}]}}

    def get_shard_iterator(
        self, *, StreamArn: str, ShardId: str, ShardIteratorType: str, SequenceNumber: str | None = None
    ) -> dict[str, Any]:
        """Return a position of a stream."""
        match ShardIteratorType:
            case "TRIM_HORIZON":
                number = 0
            case "AFTER_SEQUENCE_NUMBER":
                number = int(SequenceNumber or 0)
            case _:
                raise refuse("GetShardIterator", f"unknown type of position: {ShardIteratorType}")
        return {"ShardIterator": f"{StreamArn}|{number}"}

    def get_records(self, *, ShardIterator: str, Limit: int = 1000) -> dict[str, Any]:
        """Read records after a position."""
        if not 1 <= Limit <= MAX_RECORDS:
            raise refuse("GetRecords", f"Value at 'limit' must be between 1 and {MAX_RECORDS}")
        table, _, number = ShardIterator.rpartition("|")
        sql = "SELECT number, at, record FROM records WHERE tbl = ? AND number > ? ORDER BY number LIMIT ?"
        rows: list[Any] = []
        size = 0
        for row in self.store.read(sql, table, int(number), Limit):
            size += len(row[2])
            if rows and size > MAX_RECORDS_BYTES:
                break
            rows.append(row)
        records = [
            {
                "eventID": f"{at:032x}",
                "eventName": record["eventName"],
                "eventVersion": "1.1",
                "eventSource": "aws:dynamodb",
                "dynamodb": {
                    "ApproximateCreationDateTime": written,
                    **record["dynamodb"],
                    "SequenceNumber": f"{at:021d}",
                },
            }
            for at, written, text in rows
            for record in [json.loads(text)]
        ]
        return {"Records": records, "NextShardIterator": f"{table}|{rows[-1][0] if rows else number}"}

    def trim(self, seconds: float) -> None:
        """Delete the records that are older."""
        with self.store.writing() as connection:
            connection.execute("DELETE FROM records WHERE at < ?", (self.store.clock() - seconds,))


@dataclass(frozen=True, slots=True)
class _Step:
    """A write of one item, alone or of a transaction; `changed` are the attributes that an update names."""

    form: TableForm
    key: tuple[str, str]
    holds: Callable[[Item], bool]
    change: Callable[[dict[str, Attribute] | None], dict[str, Attribute] | None]
    changed: frozenset[str]
    shows_item: bool

    def show(self, before: Item | None) -> dict[str, Any]:
        """Return what a condition that does not hold shows of the item."""
        return {"Item": before} if before is not None and self.shows_item else {}

    def find_reason(self, before: Item | None) -> dict[str, Any]:
        """Return why this action cancels the transaction, in the answer's form."""
        if self.holds(before or {}):
            return {"Code": "None"}
        return {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed", **self.show(before)}


class _Page:
    """A page of a query or scan, until it is full."""

    def __init__(
        self,
        limit: int | None,
        keep: Callable[[Item], bool],
        project: Callable[[Item], dict[str, Attribute]],
        *,
        is_counted: bool,
    ) -> None:
        if limit is not None and limit < 1:
            raise refuse("Query", "Value at 'limit' failed to satisfy constraint: Member must have value >= 1")
        self._limit, self._keep, self._project, self._is_counted = limit, keep, project, is_counted
        self._items: list[dict[str, Attribute]] = []
        self._seen = self._count = self._bytes = 0
        self._last: Item | None = None

    def add(self, item: dict[str, Attribute], key: Item) -> bool:
        """Add an item if it passes the filter; return whether there is room for another."""
        self._seen += 1
        self._bytes += measure_item(item)
        if self._keep(item):
            self._count += 1
            if not self._is_counted:
                self._items.append(self._project(item))
        if self._seen == self._limit or self._bytes > MAX_PAGE_BYTES:
            self._last = key
        return self._last is None

    def answer(self) -> dict[str, Any]:
        return {
            "Count": self._count,
            "ScannedCount": self._seen,
            **({} if self._is_counted else {"Items": self._items}),
            **({} if self._last is None else {"LastEvaluatedKey": self._last}),
        }


def _cancel_if(reasons: list[dict[str, Any]]) -> None:
    """Cancel a transaction if one of its actions has a reason. Raises ClientError: TransactionCanceledException."""
    if any(reason["Code"] != "None" for reason in reasons):
        codes = ", ".join(reason["Code"] for reason in reasons)
        text = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
        raise refuse("TransactWriteItems", text, "TransactionCanceledException", CancellationReasons=reasons)


def _read_form(name: str, properties: Mapping[str, Any]) -> TableForm:
    base = _read_keys(properties["KeySchema"])
    indexes = {}
    for declared in properties.get("GlobalSecondaryIndexes", ()):
        keys, projection = _read_keys(declared["KeySchema"]), declared["Projection"]
        held = frozenset((*(key for key in (*base, *keys) if key), *projection.get("NonKeyAttributes", ())))
        indexes[declared["IndexName"]] = Index(keys, None if projection["ProjectionType"] == "ALL" else held)
    lifetime = properties.get("TimeToLiveSpecification", {})
    return TableForm(
        name=name,
        keys=base,
        indexes=indexes,
        stream=properties.get("StreamSpecification", {}).get("StreamViewType"),
        expires=lifetime.get("AttributeName") if lifetime.get("Enabled") else None,
    )


def _read_keys(schema: Iterable[Mapping[str, str]]) -> KeyNames:
    names = {part["KeyType"]: part["AttributeName"] for part in schema}
    return KeyNames(names["HASH"], names.get("RANGE"))


def _read_key_text(operation: str, name: str, key: Item, limit: int) -> str:
    value = key[name]
    if "S" not in value:
        raise refuse(operation, f"One or more parameter values were invalid: Type mismatch for key {name}")
    if not value["S"]:
        text = f"The AttributeValue for a key attribute cannot contain an empty string value. Key: {name}"
        raise refuse(operation, text)
    if len(value["S"].encode()) > limit:
        raise refuse(operation, f"One or more parameter values were invalid: Size of a key exceeds {limit} bytes")
    return str(value["S"])


def _check_index_keys(operation: str, form: TableForm, item: Item) -> None:
    for index in form.indexes.values():
        for name, limit in zip(index.keys, _KEY_BYTES, strict=True):
            if name is not None and name in item:
                _read_key_text(operation, name, item, limit)


def _read_key_condition(expressions: Expressions, keys: KeyNames, text: str) -> _Range:
    """Return the partition that a key condition names, and the sort keys between which it may find something."""
    equal = [operands for operator, operands in expressions.compared(text, keys.hash) if operator == "="]
    if len(equal) != 1 or not equal[0]:
        raise refuse("Query", f"Query condition missed key schema element: {keys.hash}")
    by_sort = expressions.compared(text, keys.sort) if keys.sort else []
    if expressions.count_tests(text) != 1 + len(by_sort) or len(by_sort) > 1 or not all(o for _, o in by_sort):
        raise refuse("Query", "Query key condition not supported")
    low, high = "", None
    for operator, operands in by_sort:
        if operator == "begins_with":
            low, high = operands[0], f"{operands[0]}\U0010ffff\U0010ffff"
        if operator in {"=", ">", ">=", "BETWEEN"}:
            low = operands[0]
        if operator in {"=", "<", "<=", "BETWEEN"}:
            high = operands[-1]
    return _Range(equal[0][0], low, high)


def _entry_of(index: Index, item: Item | None) -> tuple[str, str] | None:
    """Return the key of an item's entry in an index; None if it has none."""
    if item is None or any(name not in item for name in index.keys if name is not None):
        return None
    return item[index.keys.hash]["S"], item[index.keys.sort]["S"] if index.keys.sort else ""


def _project(index: Index | None, item: dict[str, Attribute]) -> dict[str, Attribute]:
    if index is None or index.attributes is None:
        return item
    return {name: value for name, value in item.items() if name in index.attributes}


def _cut(keys: Iterable[str | None], item: Item) -> dict[str, Attribute]:
    return {name: item[name] for name in keys if name is not None and name in item}


def _make_record(form: TableForm, before: Item | None, after: Item | None) -> dict[str, Any]:
    images: dict[str, Any] = {}
    if after is not None and form.stream in {"NEW_IMAGE", "NEW_AND_OLD_IMAGES"}:
        images["NewImage"] = after
    if before is not None and form.stream in {"OLD_IMAGE", "NEW_AND_OLD_IMAGES"}:
        images["OldImage"] = before
    keys = _cut(form.keys, after if after is not None else before or {})
    size = sum(measure_item(image) for image in (keys, *images.values()))
    name = "INSERT" if before is None else "REMOVE" if after is None else "MODIFY"
    return {
        "eventName": name,
        "dynamodb": {"Keys": keys, **images, "SizeBytes": size, "StreamViewType": form.stream},
    }


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=_SEPARATORS)
