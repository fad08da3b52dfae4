"""DynamoDB's items and streams on disk."""

import json
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, cast

from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import StreamRecord, StreamShard, Table
from moto.dynamodbstreams.models import DynamoDBStreamsBackend, dynamodbstreams_backends

from local.disk.store import Disk, Statement
from local.intrinsics import ACCOUNT, REGION

_PUT = "INSERT OR REPLACE INTO items VALUES (?, ?, ?)"
_DELETE = "DELETE FROM items WHERE table_name = ? AND key = ?"
_CREATED = "ApproximateCreationDateTime"


def keep_items(disk: Disk) -> None:
    """Read items and stream records into moto, and record every change from now on."""
    backend: DynamoDBBackend = dynamodb_backends[ACCOUNT][REGION]
    for name, text in disk.scan("SELECT table_name, item FROM items"):
        if name in backend.tables:
            _put(backend.tables[name], json.loads(text))
    for name, table in backend.tables.items():
        if table.stream_shard is not None:
            _keep_shard(disk, name, table.stream_shard)
    for operation in ("put_item", "update_item", "delete_item"):
        setattr(backend, operation, _recording(disk, backend, getattr(backend, operation)))
    _forget_iterators(dynamodbstreams_backends[ACCOUNT][REGION])


class StreamPositions:
    """How far each reader of a stream has come; records that all of them have read are forgotten."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._numbers: dict[str, str] = dict(disk.read("SELECT reader, number FROM stream_positions"))
        self._readers: dict[str, set[str]] = {}

    def add(self, reader: str, table: str) -> str | None:
        """Add a reader of a stream; return the number of the last record it has read."""
        self._readers.setdefault(table, set()).add(reader)
        return self._numbers.get(reader)

    def advance(self, reader: str, table: str, number: str) -> None:
        """Record that a reader needs no record up to this one."""
        with self._disk.unit():
            self._numbers[reader] = number
            self._disk.write("INSERT OR REPLACE INTO stream_positions VALUES (?, ?, ?)", reader, table, number)
            readers = self._readers[table]
            if all(name in self._numbers for name in readers):
                oldest = min((self._numbers[name] for name in readers), key=int)
                self._disk.write("DELETE FROM stream_records WHERE table_name = ? AND number <= ?", table, oldest)
                _trim(_find_shard(table), int(oldest))


class _KeptShard(StreamShard):
    disk: Disk

    def add(self, old: Item | None, new: Item | None) -> None:
        super().add(old, new)
        record = self.items[-1].record
        number = record["dynamodb"]["SequenceNumber"]
        text = json.dumps(record, default=datetime.isoformat)
        self.disk.write("INSERT INTO stream_records VALUES (?, ?, ?)", self.table.name, number, text)

    def get(self, start: int, quantity: int) -> list[dict[str, Any]]:
        with self.disk.unit():  # not while records are forgotten
            return super().get(start, quantity)


def _keep_shard(disk: Disk, table: str, shard: StreamShard) -> None:
    rows = disk.read("SELECT number, record FROM stream_records WHERE table_name = ? ORDER BY number", table)
    ((last,),) = disk.read("SELECT max(number) FROM stream_positions WHERE table_name = ?", table)
    if rows:
        shard.starting_sequence_number = int(rows[0][0])
    elif last is not None:  # numbers rise for ever: a reader skips what is not above its position
        shard.starting_sequence_number = int(last) + 1
    shard.items = [_read_record(text) for _, text in rows]
    shard.__class__ = _KeptShard
    shard.disk = disk  # type: ignore[attr-defined]  # of the class it has now


def _read_record(text: str) -> StreamRecord:
    record: Any = object.__new__(StreamRecord)
    record.record = json.loads(text)
    record.record["dynamodb"][_CREATED] = datetime.fromisoformat(record.record["dynamodb"][_CREATED])
    return record  # type: ignore[no-any-return]


def _find_shard(table: str) -> StreamShard:
    shard = dynamodb_backends[ACCOUNT][REGION].tables[table].stream_shard
    assert shard is not None  # noqa: S101  # only tables with a stream have readers
    return shard


def _trim(shard: StreamShard, number: int) -> None:
    done = number + 1 - shard.starting_sequence_number
    if done > 0:
        del shard.items[:done]
        shard.starting_sequence_number += done


def _put(table: Table, attributes: dict[str, Any]) -> None:
    hash_key, items = DynamoType(attributes[table.hash_key_attr]), cast("dict[DynamoType, Any]", table.items)
    if table.range_key_attr is None:
        items[hash_key] = Item(hash_key, None, attributes)
    else:
        range_key = DynamoType(attributes[table.range_key_attr])
        items[hash_key][range_key] = Item(hash_key, range_key, attributes)


def _recording(disk: Disk, backend: DynamoDBBackend, write: Callable[..., Item | None]) -> Callable[..., Item | None]:
    """Record the item that a write leaves behind under its key."""

    @wraps(write)
    def recorded(table_name: str, *arguments: Any, **named: Any) -> Item | None:
        with disk.unit():
            item = write(table_name, *arguments, **named)
            if item is not None:
                disk.record(lambda: [_change_of(backend.tables[table_name], item)])
        return item

    return recorded


def _change_of(table: Table, item: Item) -> Statement:
    key = json.dumps([item.hash_key.to_json(), item.range_key.to_json() if item.range_key else None])
    stored = table.get_item(item.hash_key, item.range_key)
    if stored is None:
        return Statement(_DELETE, (table.name, key))
    return Statement(_PUT, (table.name, key, json.dumps(stored.to_json()["Attributes"], ensure_ascii=False)))


def _forget_iterators(backend: DynamoDBStreamsBackend) -> None:
    """Forget an iterator when its successor is used: moto would hold each for ever."""
    get_records = backend.get_records
    before: dict[str, str] = {}

    def get(iterator_arn: str, limit: int) -> dict[str, Any]:
        answer = get_records(iterator_arn, limit)
        before[answer["NextShardIterator"]] = iterator_arn
        backend.shard_iterators.pop(before.pop(iterator_arn, ""), None)
        return answer

    backend.get_records = get  # type: ignore[method-assign]
