"""Tables and S3 as dictionaries of this process, for millions of items."""

import io
import marshal
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import RLock
from typing import Any

from storage.gateway.conditions import Item
from tests.harness.memory_aws import MemoryTables, fail

MODIFIED = datetime(2026, 1, 1, tzinfo=UTC)


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
            fail("GetObject", "NoSuchKey")
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
                fail("PutObject", "NoSuchKey")
            if (IfNoneMatch is not None and stored is not None) or (stored and IfMatch not in {None, stored[1]}):
                fail("PutObject", "PreconditionFailed")
            self._writes += 1
            etag = f'"{self._writes}"'
            self.objects[Bucket, Key] = (Body, etag)
            self.bytes_written += len(Body)
        return {"ETag": etag}

    def _count(self, operation: str) -> Any:
        self.calls[operation] += 1
        return self._lock
