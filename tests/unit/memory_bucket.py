"""A bucket in memory, with the answers of `Bucket` that stores of boards use."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from storage.gateway.bucket import StoredObject, Versioned
from storage.gateway.errors import Conflict, NotFound
from storage.ids import Clock


@dataclass
class MemoryBucket:
    """Objects by key, each with an ETag and the time when it was written."""

    clock: Clock
    bodies: dict[str, bytes] = field(default_factory=dict)
    written: dict[str, datetime] = field(default_factory=dict)
    puts: int = 0

    def get(self, key: str) -> StoredObject:
        """Read an object."""
        if key not in self.bodies:
            raise NotFound(key)
        return StoredObject(self.bodies[key], str(self.written[key]) + str(hash(self.bodies[key])), {})

    def find(self, key: str) -> StoredObject | None:
        """Read an object, or None."""
        return self.get(key) if key in self.bodies else None

    def find_model(self, key: str, model: Any) -> Any:
        """Read an object of JSON, or None."""
        stored = self.find(key)
        return stored and Versioned(model.model_validate_json(stored.body), stored.etag)

    def put(self, key: str, body: bytes, *, replacing: str | None, **_: Any) -> str:
        """Write on condition."""
        stored = self.find(key)
        if (stored and stored.etag) != replacing:
            raise Conflict(key)
        return self.overwrite(key, body)

    def overwrite(self, key: str, body: bytes, **_: Any) -> str:
        """Write."""
        self.bodies[key], self.written[key] = body, self.clock()
        self.puts += 1
        return self.get(key).etag

    def list_modified(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        """List keys and times."""
        yield from ((key, self.written[key]) for key in sorted(self.bodies) if key.startswith(prefix))

    def delete_all(self, keys: Any) -> None:
        """Delete."""
        for key in list(keys):
            self.bodies.pop(key, None)
            self.written.pop(key, None)
