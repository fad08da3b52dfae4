"""Tables and buckets as dictionaries of this process, for millions of items."""

import marshal
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from storage.gateway.bucket import NewObject, StoredObject
from storage.gateway.conditions import Item
from storage.gateway.errors import Conflict, NotFound
from tests.harness.memory_aws import MemoryTables, make_stored


@dataclass
class StockedTables(MemoryTables):
    """Tables in memory, into which millions of items are put at once."""

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
