"""Tables and buckets as dictionaries of this process, for millions of items."""

import marshal
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import batched
from threading import RLock
from typing import Any

from storage.gateway.aws import READ_AT_ONCE
from storage.gateway.bucket import JSON, NewObject, ObjectInfo, StoredObject
from storage.gateway.conditions import Item, ItemCondition, Put, Query
from storage.gateway.errors import Conflict, NotFound

MAX_PAGE_BYTES = 1_000_000
"""Of the items of a query's page, as DynamoDB limits it."""


@dataclass
class MemoryTables:
    """Tables in memory; items are kept as bytes, so that a million takes little memory.

    Args:
        keys: Table → the names of its partition key and, if it has one, its sort key.
    """

    keys: Mapping[str, tuple[str, ...]]
    calls: Counter[str] = field(default_factory=Counter)
    _items: dict[tuple[str, ...], bytes] = field(default_factory=dict)
    _sorts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _lock: Any = field(default_factory=RLock)

    def get(self, table: str, key: Mapping[str, str]) -> Item | None:
        """Read an item."""
        with self._count("GetItem"):
            return self._find((table, *(key[name] for name in self.keys[table])))

    def get_many(self, table: str, keys: Sequence[Mapping[str, str]]) -> Iterator[Item]:
        """Read items, a hundred a call."""
        for batch in batched(keys, READ_AT_ONCE, strict=False):
            with self._count("BatchGetItem"):
                found = [self._find((table, *(key[name] for name in self.keys[table]))) for key in batch]
            yield from (item for item in found if item is not None)

    def put(self, table: str, put: Put) -> None:
        """Write an item on a condition."""
        with self._count("PutItem"):
            self._check(self._key_of(table, put.item), put.condition)
            self._keep(table, put.item)

    def transact(self, table: str, puts: Sequence[Put]) -> None:
        """Write items, each on its condition, or none."""
        with self._count("TransactWriteItems"):
            if not all(put.condition.holds(self._find(self._key_of(table, put.item)) or {}) for put in puts):
                raise Conflict(table)
            for put in puts:
                self._keep(table, put.item)

    def delete(self, table: str, key: Mapping[str, str], condition: ItemCondition | None) -> None:
        """Delete an item on a condition."""
        place = (table, *(key[name] for name in self.keys[table]))
        with self._count("DeleteItem"):
            if condition is not None:
                self._check(place, condition)
            if self._items.pop(place, None) is not None:
                self._sorts[table, place[1]].remove(place[-1])

    def query(self, table: str, query: Query) -> Iterator[Sequence[Item]]:
        """Read the pages of a query, which goes up, each when it is asked for."""
        last: str | None = None
        while True:
            page, last = self.read_page(table, query, last)
            yield page
            if last is None:
                return

    def read_page(self, table: str, query: Query, last: str | None) -> tuple[list[Item], str | None]:
        """Return the items of a page after a sort key, and its last sort key if more may follow."""
        assert not query.is_down
        low, high = query.bounds
        items: list[Item] = []
        size = 0
        with self._count("Query"):
            sorts = self._sorts.get((table, query.key[1]), [])
            for position in range(bisect_left(sorts, low) if last is None else bisect_right(sorts, last), len(sorts)):
                sort = sorts[position]
                if sort > high:
                    break
                packed = self._items[table, query.key[1], sort]
                item = marshal.loads(packed)  # noqa: S302  # our own
                names = query.attributes or item
                items.append({name: item[name] for name in names if name in item})
                size += len(packed)
                if size > MAX_PAGE_BYTES:
                    return items, sort
        return items, None

    def _check(self, key: tuple[str, ...], condition: ItemCondition) -> None:
        before = self._find(key)
        if not condition.holds(before or {}):
            error = Conflict("somebody else wrote it")
            error.items = [before or {}]
            raise error

    def _keep(self, table: str, item: Item) -> None:
        key = self._key_of(table, item)
        if key not in self._items:
            insort(self._sorts.setdefault((table, key[1]), []), key[-1])
        self._items[key] = marshal.dumps(item)

    def _find(self, key: tuple[str, ...]) -> Any:
        packed = self._items.get(key)
        return None if packed is None else marshal.loads(packed)  # noqa: S302  # our own

    def _key_of(self, table: str, item: Item) -> tuple[str, ...]:
        return (table, *(item[name]["S"] for name in self.keys[table]))

    def _count(self, operation: str) -> Any:
        self.calls[operation] += 1
        return self._lock

    def stock(self, table: str, items: Iterable[Item]) -> None:
        """Store many items at once, whatever is stored; no call is counted."""
        added: dict[tuple[str, str], list[str]] = {}
        for item in items:
            key = self._key_of(table, item)
            if key not in self._items:
                added.setdefault((table, key[1]), []).append(key[-1])
            self._items[key] = marshal.dumps(item)
        for partition, sorts in added.items():
            self._sorts[partition] = sorted([*self._sorts.get(partition, ()), *sorts])


@dataclass
class MemoryS3:
    """Buckets in memory."""

    calls: Counter[str] = field(default_factory=Counter)
    bytes_written: int = 0
    objects: dict[tuple[str, str], tuple[bytes, str]] = field(default_factory=dict)
    """Bucket and key → body and ETag."""
    _lock: Any = field(default_factory=RLock)

    def get(self, bucket: str, key: str, **_: Any) -> StoredObject:
        """Read an object."""
        with self._count("GetObject"):
            if (bucket, key) not in self.objects:
                raise NotFound(key)
            return make_stored(*self.objects[bucket, key])

    def put(self, bucket: str, key: str, new: NewObject) -> str:
        """Write an object on a condition."""
        with self._count("PutObject"):
            _, etag = self.objects.get((bucket, key), (b"", ""))
            if new.replacing not in {None, etag}:
                raise Conflict(key)
            etag = f'"{self.calls["PutObject"]}"'
            self.objects[bucket, key] = (new.body, etag)
            self.bytes_written += len(new.body)
        return etag

    def _count(self, operation: str) -> Any:
        self.calls[operation] += 1
        return self._lock


def make_stored(body: bytes, etag: str) -> StoredObject:
    """Return an object with these bytes."""
    return StoredObject(body, ObjectInfo(etag, {}, "null", len(body), datetime(2026, 1, 1, tzinfo=UTC), JSON, None))
