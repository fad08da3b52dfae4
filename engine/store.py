"""The SQLite file: its tables, its transactions, and what the template declares."""

import fcntl
import json
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from storage.gateway.errors import Busy

FORM: Final = 1
"""The form of the file; another one is refused."""
BUSY_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 0.001
_READER_MILLISECONDS: Final = 200
"""How long a checkpoint that holds up the writers waits for readers; another one comes."""
_APPLICATION: Final = 0x4C41_5552  # "LAUR"
_TABLES: Final = """
CREATE TABLE resources (kind TEXT, name TEXT, properties TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE items (
    tbl TEXT, hash TEXT, sort TEXT, item TEXT NOT NULL, expires INTEGER,
    PRIMARY KEY (tbl, hash, sort)
) WITHOUT ROWID;
CREATE INDEX expiring ON items (tbl, expires) WHERE expires IS NOT NULL;
CREATE TABLE entries (
    tbl TEXT, idx TEXT, hash TEXT, sort TEXT, base_hash TEXT, base_sort TEXT,
    PRIMARY KEY (tbl, idx, hash, sort, base_hash, base_sort)
) WITHOUT ROWID;
CREATE TABLE records (number INTEGER PRIMARY KEY AUTOINCREMENT, tbl TEXT, at REAL, record TEXT NOT NULL);
CREATE INDEX record_of ON records (tbl, number);
CREATE TABLE objects (
    version INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT, key TEXT, current INTEGER, etag TEXT, size INTEGER,
    at REAL, replaced_at REAL, info TEXT, body BLOB
);
CREATE UNIQUE INDEX current_object ON objects (bucket, key) WHERE current;
CREATE INDEX version_of ON objects (bucket, key, version);
CREATE TABLE messages (
    number INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT, grp TEXT, visible REAL, id TEXT, body TEXT,
    sent REAL, first REAL, receives INTEGER NOT NULL DEFAULT 0, receipt TEXT
);
CREATE INDEX waiting ON messages (queue, visible, number);
CREATE INDEX groups ON messages (queue, grp, number) WHERE grp IS NOT NULL;
CREATE TABLE sent (queue TEXT, dedup TEXT, at REAL, id TEXT, PRIMARY KEY (queue, dedup)) WITHOUT ROWID;
CREATE TABLE mails (number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL, sender TEXT, recipient TEXT, content BLOB);
CREATE TABLE grants (token TEXT PRIMARY KEY, expires REAL, request TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
"""


class StoreRefused(Exception):
    """The file is not one of this engine, or of another form."""


class StoreFailed(Busy):
    """The disk is full or fails: to the caller, what answers is busy."""


class Held(StoreFailed):
    """Another process has held the file for longer than a writer waits."""


class Store:
    """One connection to the file, for all threads of a process.

    Args:
        path: The file; None: in memory, for this store alone.
        durable: Whether a commit waits until the disk has it. Without, a power cut loses the last commits since
            `sync`, never one in the middle; the end of the process loses nothing either way.
        clock: Seconds since 1970.
        busy_seconds: How long a writer waits for those of other processes.

    Raises:
        StoreRefused: The file is something else, or its form is newer or older.
        sqlite3.OperationalError: It cannot be read or written.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        durable: bool = True,
        clock: Callable[[], float] = time.time,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self.path, self.clock, self._busy_seconds = path, clock, busy_seconds
        self.lock = threading.RLock()
        self._depth = 0
        self._synced: tuple[int, int] | None = None
        self._resources: dict[tuple[str, str], dict[str, Any]] = {}
        self._turn = None if path is None else os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if path is not None:  # with the rights that SQLite's own files take over
            # One that exists is not touched: the kernel ends all locks of a process on a file of which it closes one
            # descriptor, and so those of another connection.
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        self._connection = sqlite3.connect(
            path or ":memory:", timeout=busy_seconds, isolation_level=None, check_same_thread=False
        )
        # Not `__del__`: of a store and a connection that are garbage together the connection may be found first.
        self._finish = weakref.finalize(self, _close, self._connection, self._turn)
        self._finish.atexit = False  # threads may still use it then
        self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        try:
            self._open()
        except (sqlite3.OperationalError, StoreRefused):  # no space, no rights; or another file
            self.close()
            raise
        except sqlite3.DatabaseError as error:
            self.close()
            raise StoreRefused(f"{path}: {error}") from error

    def close(self) -> None:
        """Close the file; a store that nobody holds any more closes itself."""
        with self.lock:
            self._finish()
            self._turn = None

    def read(self, sql: str, *values: Any) -> list[Any]:
        """Return the rows of a query."""
        with self.lock, _FAILURES:
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Let several queries see one state."""
        with self.lock, _FAILURES:
            if self._depth:
                yield self._connection
                return
            self._connection.execute("BEGIN")
            try:
                yield self._connection
            finally:
                self._connection.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Make one transaction of all writes in the context; one inside another belongs to it. Raises Held."""
        with self.lock:
            if self._depth:
                yield self._connection
                return
            with self._taking_turns(), _FAILURES:
                self._connection.execute("BEGIN IMMEDIATE")
                self._depth += 1
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
                finally:
                    self._depth -= 1

    def sync(self) -> None:
        """Wait until the disk has the whole log, and so all that this and other processes committed before."""
        with self.lock:
            ((version,),) = self._connection.execute("PRAGMA data_version")
            state = (version, self._connection.total_changes)
            if self.path is not None and state != self._synced:
                sync(f"{self.path}-wal")
                self._synced = state

    def leave_checkpoints(self) -> None:
        """Leave it to another process to move what was committed from the log to the file.

        A checkpoint waits for the disk, and at the end of a commit all writers wait for it.
        """
        self.read("PRAGMA wal_autocheckpoint = 0")

    def checkpoint(self, *, log_bytes: int) -> None:
        """Move what was committed from the log to the file, and empty a log of this size or larger.

        Most of it is moved beside the writers. They wait for the rest alone, without which the log would only grow.
        """
        log = Path(f"{self.path}-wal")
        with self.lock, _FAILURES:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            if log.exists() and log.stat().st_size >= log_bytes:
                with self._taking_turns():
                    self._connection.execute(f"PRAGMA busy_timeout = {_READER_MILLISECONDS}")
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                    self._connection.execute(f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}")

    def define(self, kind: str, name: str, properties: Mapping[str, Any]) -> None:
        """Declare a table, queue, bucket or sender; properties are those of CloudFormation."""
        text = json.dumps(properties, sort_keys=True)
        with self.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO resources VALUES (?, ?, ?)", (kind, name, text))
        self._resources.pop((kind, name), None)

    def find_resource(self, kind: str, name: str) -> dict[str, Any] | None:
        """Return the properties of a resource; None if it is not declared."""
        properties = self._resources.get((kind, name))
        if properties is None:
            rows = self.read("SELECT properties FROM resources WHERE kind = ? AND name = ?", kind, name)
            if not rows:
                return None
            properties = self._resources[kind, name] = json.loads(rows[0][0])
        return properties

    def list_resources(self, kind: str) -> list[str]:
        """Return the names of all resources of a kind, sorted."""
        return [name for (name,) in self.read("SELECT name FROM resources WHERE kind = ? ORDER BY name", kind)]

    def find_note(self, name: str) -> str | None:
        """Return a note of the process that has the store; None if there is none."""
        rows = self.read("SELECT text FROM notes WHERE name = ?", name)
        return str(rows[0][0]) if rows else None

    def put_note(self, name: str, text: str | None) -> None:
        """Keep a note, or with None delete it."""
        with self.writing() as connection:
            if text is None:
                connection.execute("DELETE FROM notes WHERE name = ?", (name,))
            else:
                connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, text))

    def _open(self) -> None:
        if has_form(self._connection, self.path):
            return
        with self._taking_turns():
            if has_form(self._connection, self.path):
                return
            if self.path is not None:
                self._connection.execute("PRAGMA journal_mode = WAL")
            marks = f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {FORM};"
            self._connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {marks} COMMIT;")

    @contextmanager
    def _taking_turns(self) -> Iterator[None]:
        """Wait for other processes' writes. Raises Held.

        They are short: it looks again sooner than SQLite, which sleeps ever longer.
        """
        if self._turn is None:
            yield
            return
        ends = time.monotonic() + self._busy_seconds
        while not _locks(self._turn):
            if time.monotonic() >= ends:
                raise Held(f"another process has held {self.path} for {self._busy_seconds} s")
            time.sleep(_LOOK_SECONDS)
        try:
            yield
        finally:
            fcntl.flock(self._turn, fcntl.LOCK_UN)


def _locks(turn: int) -> bool:
    """Lock a file, unless another process has it."""
    try:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def has_form(connection: sqlite3.Connection, path: Path | None) -> bool:
    """Return whether a file is a store of this form, False if it is empty. Raises StoreRefused if it is another."""
    ((version,),) = connection.execute("PRAGMA user_version")
    ((application,),) = connection.execute("PRAGMA application_id")
    if application == _APPLICATION and version != FORM:
        raise StoreRefused(f"{path}: expected a file of form {FORM}, found form {version}")
    if application != _APPLICATION and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise StoreRefused(f"{path} is not a store of Laurel")
    return bool(application == _APPLICATION)


@contextmanager
def only_reading(path: Path, *, is_idle: bool) -> Iterator[sqlite3.Connection]:
    """Open a file that may be another process's: of its locks and its log nothing is changed or deleted.

    Args:
        path: The file.
        is_idle: Whether nobody writes it meanwhile. Then nothing is made beside it either, unless its log is there.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    has_log = any(path.with_name(f"{path.name}{suffix}").exists() for suffix in ("-wal", "-journal"))
    options = "mode=ro&immutable=1" if is_idle and not has_log else "mode=ro"
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{options}", uri=True)
    try:
        yield connection
    finally:
        connection.close()


def _close(connection: sqlite3.Connection, turn: int | None) -> None:
    connection.close()
    if turn is not None:
        os.close(turn)


class _Failures:
    """Raises StoreFailed or Held for errors of the file."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, sqlite3.OperationalError):
            return
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise Held(str(error)) from error
        raise StoreFailed(str(error)) from error


_FAILURES: Final = _Failures()
"""Of each read: a generator for each would be a part of its work that one sees."""


def sync(path: Path | str) -> None:
    """Write a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
