"""S3's objects on disk: in memory are their names and properties, their content is read when it is asked for."""

import contextlib
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from moto.s3.models import FakeBucket, FakeDeleteMarker, FakeKey, s3_backends
from moto.s3.utils import _VersionedKeyStore

from local.disk.store import Disk, Statement
from local.intrinsics import ACCOUNT

_INSERT = "INSERT INTO objects VALUES (?, ?, ?, ?, ?)"
_PLAIN = ("_storage_class", "encryption", "checksum_algorithm", "checksum_value", "checksum_type")
"""Properties of an object that are stored as they are."""


def keep_objects(disk: Disk) -> None:
    """Read all objects into moto, and record every change from now on."""
    buckets = s3_backends[ACCOUNT]["aws"].buckets
    ((last,),) = disk.read("SELECT coalesce(max(id), 0) FROM objects")
    numbers = _Numbers(last)
    for bucket in buckets.values():
        bucket.keys = _KeptObjects(disk, bucket, numbers)
    query = "SELECT id, bucket, name, properties, length(content) FROM objects ORDER BY id"
    for row, bucket, name, properties, size in disk.scan(query):
        keys = buckets[bucket].keys if bucket in buckets else None
        if isinstance(keys, _KeptObjects):
            keys.load(row, name, json.loads(properties), size)


class _Numbers:
    def __init__(self, last: int) -> None:
        self._last = last

    def take(self) -> int:
        self._last += 1
        return self._last


class _KeptKey(FakeKey):
    """An object whose content is in its buffer until it is synced, and then only on disk."""

    disk: Disk
    row: int

    @property
    def value(self) -> bytes:
        with contextlib.suppress(ValueError):  # the buffer is closed
            return super().value
        rows = self.disk.read("SELECT content FROM objects WHERE id = ?", self.row)
        ((content,),) = rows  # a version that was deleted meanwhile fails its reader, which then asks again
        return bytes(content)

    def __deepcopy__(self, memo: dict[int, Any]) -> "_KeptKey":
        """Return a copy without content: moto copies every version to list them."""
        copy = object.__new__(_KeptKey)
        copy.__dict__.update(self.__dict__)
        return copy

    def __del__(self) -> None:
        """Close nothing: a copy shares the buffer of its original."""

    def release(self) -> None:
        with self.lock:
            self._value_buffer.close()
        if self.multipart:
            self.multipart.dispose()
            self.multipart = None


class _KeptObjects(_VersionedKeyStore):
    """The objects of a bucket: name → versions, oldest first."""

    def __init__(self, disk: Disk, bucket: FakeBucket, numbers: _Numbers) -> None:
        super().__init__()
        self._disk = disk
        self._bucket = bucket
        self._numbers = numbers
        self._rows: dict[str, set[int]] = {}

    def load(self, row: int, name: str, properties: dict[str, Any], size: int | None) -> None:
        """Add a version that is on disk; a size of None is a delete marker's."""
        versions = self.getlist(name, [])
        version: Any = FakeDeleteMarker(key=versions[-1]) if size is None else self._read(name, properties, size)
        version._version_id = properties["version_id"]  # noqa: SLF001  # moto offers no public way
        version.last_modified = datetime.fromisoformat(properties["last_modified"])
        version.row = row
        super().setlist(name, [*versions, version])
        self._rows.setdefault(name, set()).add(row)

    def __setitem__(self, name: str, version: Any) -> None:
        self.setlist(name, [*self.getlist(name, []), version])

    def setlist(self, key: str, list_: Any) -> None:
        with self._disk.unit():
            for version in list_:
                if type(version) is FakeKey:
                    version.__class__ = _KeptKey
                    version.disk = self._disk  # type: ignore[attr-defined]  # of the class it has now
            super().setlist(key, list_)
            self._record(key)

    def pop(self, key: str) -> None:  # type: ignore[override]  # as moto's own
        with self._disk.unit():
            super().pop(key)
            self._record(key)

    def _record(self, name: str) -> None:
        # The properties of a new object are complete only when its request ends.
        self._disk.record(lambda: self._list_changes(name))

    def _list_changes(self, name: str) -> Iterator[Statement]:
        before: set[int] = self._rows.get(name, set())
        after: set[int] = set()
        versions: list[Any] = self.getlist(name, [])
        for version in versions:
            if not hasattr(version, "row"):
                version.row = self._numbers.take()
                yield self._insert(name, version)
            after.add(version.row)
        for row in before - after:
            yield Statement("DELETE FROM objects WHERE id = ?", (row,))
        if after:
            self._rows[name] = after
        else:
            self._rows.pop(name, None)

    def _insert(self, name: str, version: Any) -> Statement:
        place = (version.row, self._bucket.name, name)
        properties = {"version_id": version.version_id, "last_modified": version.last_modified.isoformat()}
        if isinstance(version, FakeDeleteMarker):
            return Statement(_INSERT, (*place, json.dumps(properties), None))
        properties |= {"etag": version.etag.strip('"'), "metadata": dict(version.metadata)}
        properties |= {field: getattr(version, field) for field in _PLAIN if getattr(version, field) is not None}
        return Statement(_INSERT, (*place, json.dumps(properties), version.value), then=version.release)

    def _read(self, name: str, properties: dict[str, Any], size: int) -> _KeptKey:
        key = FakeKey(
            name=name,
            value=b"",
            account_id=ACCOUNT,
            region_name=self._bucket.region_name,
            etag=properties["etag"],
            is_versioned=self._bucket.is_versioned,
            version_id=properties["version_id"],
            bucket_name=self._bucket.name,
        )
        key.__class__ = _KeptKey
        assert isinstance(key, _KeptKey)  # noqa: S101  # for the type checker
        key.disk = self._disk
        key.contentsize = size
        key.release()
        key.metadata.update(properties["metadata"])
        for field in _PLAIN:
            if field in properties:
                setattr(key, field, properties[field])
        return key
