"""Snapshots in the site bucket: head and index are replaced by compare-and-swap, all other objects never change."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from storage.boards.models import Head, Index
from storage.boards.pages import NamedObject
from storage.boards.standings import BoardKey
from storage.gateway.bucket import Bucket, Versioned
from storage.gateway.clients import RunAtOnce, run_at_once
from storage.keys import (
    HEAD_FILE,
    INDEX_KEY,
    MAIN_BOARD,
    board_prefix,
    files_prefix,
    head_key,
)

ROWS_CACHE = "public, max-age=31536000, immutable"
HEAD_CACHE = "public, max-age=2"
"""An open board that changed within a minute asks every two seconds: it shows a new head at most four seconds later.

All else that shows a board, or what a rescore did to it, is kept as long: nothing of before the switch is read longer.
"""

MAX_KEPT_BYTES = 16_000_000
"""Of objects as they are stored; decoded they take several times as much."""


@dataclass(slots=True)
class DecodedObjects:
    """The objects that a process read last, decoded: they never change under their names. Threads may share it."""

    max_bytes: int = MAX_KEPT_BYTES
    _kept: OrderedDict[Hashable, tuple[Any, int]] = field(default_factory=OrderedDict)
    _bytes: int = 0
    _lock: Lock = field(default_factory=Lock)

    def keep(self, key: Hashable, decoded: Any, size_bytes: int) -> None:
        """Keep an object, and forget those that were not read for longest."""
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = decoded, size_bytes
            self._bytes += size_bytes
            while self._bytes > self.max_bytes:
                _, (_, forgotten) = self._kept.popitem(last=False)
                self._bytes -= forgotten

    def read[Decoded](self, key: Hashable, read: Callable[[], bytes], decode: Callable[[bytes], Decoded]) -> Decoded:
        """Return an object, which is read and decoded unless it is kept."""
        with self._lock:  # without it another thread may forget the object in between
            if key in self._kept:
                self._kept.move_to_end(key)
                kept: Decoded = self._kept[key][0]
                return kept
        body = read()
        decoded = decode(body)
        self.keep(key, decoded, len(body))
        return decoded


@dataclass(frozen=True, slots=True)
class SnapshotStore:
    """The `data/` of the site bucket.

    Args:
        bucket: The site bucket.
        run: Reads or writes several objects at once.
        objects: What is kept of objects that were read.
    """

    bucket: Bucket
    run: RunAtOnce = run_at_once
    objects: DecodedObjects = field(default_factory=DecodedObjects, compare=False)

    def read_head(
        self, benchmark: str, board: str = MAIN_BOARD, *, version: str | None = None
    ) -> Versioned[Head] | None:
        """Read the head of a board's version; None if it was never published.

        The main board has one head, of the version that all boards show.
        """
        return self.bucket.find_model(head_key(benchmark, board, version=version), Head)

    def write_head(self, head: Head, *, replacing: Versioned[Head] | None) -> Versioned[Head]:
        """Replace a head and return it. Raises Conflict if it is not as it was read."""
        etag = replacing and replacing.etag
        key = head.folder + HEAD_FILE
        return Versioned(head, self.bucket.put(key, head.to_body(), replacing=etag, cache_control=HEAD_CACHE))

    def list_versions(self, benchmark: str, board: str) -> list[str]:
        """Return the versions of which a board other than the main one has files."""
        return self.bucket.list_folders(board_prefix(benchmark, board))

    def has_other_version(self, board: BoardKey) -> bool:
        """Return whether a board has a head of another version; not of the main one."""
        others = (version for version in self.list_versions(board.benchmark, board.board) if version != board.version)
        return any(self.read_head(board.benchmark, board.board, version=version) for version in others)

    def retire_versions(self, benchmark: str, board: str, *, keeping: str | None = None) -> None:
        """Delete a board's heads of all versions but one.

        Their addresses then lead to what is there today. The objects that they name are deleted later, when no reader
        uses them any more.
        """
        for version in self.list_versions(benchmark, board):
            if version != keeping:
                folder = files_prefix(benchmark, board, version=version)
                self.bucket.delete_all([folder + HEAD_FILE])

    def read_index(self) -> Versioned[Index] | None:
        """Read the index; None if it was never published."""
        return self.bucket.find_model(INDEX_KEY, Index)

    def write_index(self, index: Index, *, replacing: Versioned[Index] | None) -> Versioned[Index]:
        """Replace the index and return it. Raises Conflict if it is not as it was read."""
        etag = replacing and replacing.etag
        return Versioned(index, self.bucket.put(INDEX_KEY, index.to_body(), replacing=etag, cache_control=HEAD_CACHE))

    def read_object(self, folder: str, name: str) -> bytes:
        """Read an object that a head in a folder names. Raises NotFound."""
        return self.bucket.get(f"{folder}{name}").body

    def decode_object[Decoded](self, folder: str, name: str, decode: Callable[[bytes], Decoded]) -> Decoded:
        """Return an object, decoded once while the process keeps it. Raises NotFound."""
        key = f"{folder}{name}"
        return self.objects.read(key, lambda: self.bucket.get(key).body, decode)

    def write_object(self, folder: str, named: NamedObject, *, decoded: Any = None) -> None:
        """Write an object whose name follows from its content, and keep it decoded."""
        key = f"{folder}{named.name}"
        if decoded is not None:
            self.objects.keep(key, decoded, len(named.body))
        self.bucket.overwrite(key, named.body, cache_control=ROWS_CACHE)
