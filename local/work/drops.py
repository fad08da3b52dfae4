"""The folder of drops: a file in `drops/BENCHMARK/PLAYER/` becomes the object of that key, as `aws s3 cp` makes it.

A file is taken once it has not changed for some seconds; one that is renamed into the folder has not, if it was written
before. When its object is on the disk, the file is moved to `taken/` beside it. If the stack ends in between, the same
bytes come again, which are the same batch.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from engine.limits import MAX_OBJECT_BYTES
from engine.store import Store
from scoring_core.io.safe_zip import is_hidden
from storage.gateway.bucket import Bucket
from storage.gateway.errors import StoreError
from storage.keys import DROPS_PREFIX

SETTLED_SECONDS: Final = 5.0
LOOK_SECONDS: Final = 1.0
TAKEN: Final = "taken"
MAX_DEPTH: Final = 16
_PLAYER_DEPTH: Final = 2
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a named pipe would wait for its writer


class _Seen(NamedTuple):
    """A file as it was, and since when."""

    size: int
    changed: int
    since: float


@dataclass
class DropFolder:
    """Takes files into a bucket.

    Args:
        folder: Made with rights for its owner alone.
        store: Where the bucket is.
        bucket: The results bucket.
        log: Takes a line for each file that is refused, once as long as it stays as it is.
        clock: Seconds since 1970.
    """

    folder: Path
    store: Store
    bucket: Bucket
    log: Callable[[str], None]
    clock: Callable[[], float] = time.time
    _seen: dict[str, _Seen] = field(default_factory=dict, init=False)
    _refused: dict[str, _Seen] = field(default_factory=dict, init=False)

    def poll(self) -> bool:
        """Take every file that has settled; return whether there was one."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        taken = False
        seen: dict[str, _Seen] = {}
        with _opened(self.folder, None) as root:
            for folder, path, status in _walk(root, ""):
                if isinstance(status, OSError):
                    seen[path] = _Seen(0, 0, 0.0)
                    self._refuse(path, seen[path], str(status))
                else:
                    taken |= self._look_at(folder, path, status, seen)
        self._seen = seen
        self._refused = {path: state for path, state in self._refused.items() if path in seen}
        return taken

    def _look_at(self, folder: int, path: str, status: os.stat_result, seen: dict[str, _Seen]) -> bool:
        now, before = self.clock(), self._seen.get(path)
        state = _Seen(status.st_size, status.st_mtime_ns, now)
        if before and before[:2] == state[:2] and before.since <= now:  # or the clock was set back
            state = before
        seen[path] = state
        if now - state.since < SETTLED_SECONDS and now - status.st_mtime < SETTLED_SECONDS:
            return False
        if self._refused.get(path) == state:
            return False
        try:
            reason = self._take(folder, path, status)
        except StoreError as error:  # of the store, as on a full disk: the next look tries again
            reason, state = str(error), state._replace(since=0.0)
        if reason is not None:
            self._refuse(path, state, reason)
        return reason is None

    def _refuse(self, path: str, state: _Seen, reason: str) -> None:
        """Log why a file or folder is not taken, once as long as it stays as it is."""
        if self._refused.get(path) != state:
            self._refused[path] = state
            self.log(f"{DROPS_PREFIX}{path} is not taken: {reason}")

    def _take(self, folder: int, path: str, status: os.stat_result) -> str | None:
        """Store a file and move it; return why it is refused, or None."""
        name = path.rpartition("/")[2]
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            return "it is no file of its own, but a link or a device"
        if path.count("/") < _PLAYER_DEPTH:
            return f"files belong into {DROPS_PREFIX}BENCHMARK/PLAYER/"
        if status.st_size > MAX_OBJECT_BYTES:
            return f"it has {status.st_size} bytes; the limit is {MAX_OBJECT_BYTES}"
        try:
            key = f"{DROPS_PREFIX}{path}".encode().decode()
        except UnicodeEncodeError:
            return "its name is no UTF-8"
        try:
            with _opened_taken(folder) as taken:  # before anything is stored that could not be moved there
                with os.fdopen(os.open(name, _FILE, dir_fd=folder), "rb") as file:
                    self.bucket.overwrite(key, file.read(MAX_OBJECT_BYTES + 1), content_type="binary/octet-stream")
                self.store.sync()
                _move(name, folder, taken)
        except OSError as error:
            return str(error)
        return None


def _walk(folder: int, path: str) -> Iterator[tuple[int, str, os.stat_result | OSError]]:
    """Yield the folder, path and status of each file below a folder.

    Where one cannot be looked into, the error is in the place of its status. Links are files here: none is followed.
    """
    for name in sorted(os.listdir(folder)):
        if name == TAKEN or is_hidden(name):  # as what is still being copied
            continue
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                yield folder, f"{path}{name}", status
            elif path.count("/") < MAX_DEPTH:
                with _opened(name, folder) as inner:
                    yield from _walk(inner, f"{path}{name}/")
        except FileNotFoundError:  # moved away meanwhile
            continue
        except OSError as error:
            yield folder, f"{path}{name}", error


def _move(name: str, folder: int, taken: int) -> None:
    """Move a file to `taken/`, beside others of its name."""
    others = set(os.listdir(taken))
    free = next(
        each for each in (name, *(f"{name}.{number}" for number in range(1, len(others) + 2))) if each not in others
    )
    os.rename(name, free, src_dir_fd=folder, dst_dir_fd=taken)


@contextmanager
def _opened_taken(folder: int) -> Iterator[int]:
    with suppress(FileExistsError):
        os.mkdir(TAKEN, 0o700, dir_fd=folder)
    with _opened(TAKEN, folder) as taken:
        yield taken


@contextmanager
def _opened(path: str | Path, folder: int | None) -> Iterator[int]:
    descriptor = os.open(path, _FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
