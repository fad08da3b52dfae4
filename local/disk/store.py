"""The file in which the local stack keeps everything, and the one thread that writes it.

Moto holds the state of the local cloud in memory. Each change is also recorded here: the changes of one request are one
unit, and units reach the file in the order in which they changed the memory. So whatever moment a crash leaves behind,
the file holds a state that the cloud once had. `Disk.wait` returns when all that was recorded before is synced: no
request is answered earlier.
"""

import contextlib
import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

FILE: Final = "laurel.sqlite"
APPLICATION: Final = 0x4C61_7572
"""Marks an SQLite file as a store of Laurel: the bytes `Laur`."""
SCHEMA: Final = 1
"""The number of the stored form. A release that changes a table reads the older ones and writes the next number."""
RETRY_SECONDS: Final = 1.0
_TABLES: Final = """
CREATE TABLE items (
    table_name TEXT, key TEXT, item TEXT NOT NULL, PRIMARY KEY (table_name, key)
) WITHOUT ROWID;
CREATE TABLE stream_records (
    table_name TEXT, number TEXT, record TEXT NOT NULL, PRIMARY KEY (table_name, number)
) WITHOUT ROWID;
CREATE TABLE stream_positions (reader TEXT PRIMARY KEY, table_name TEXT NOT NULL, number TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE messages (id INTEGER PRIMARY KEY, queue TEXT NOT NULL, message TEXT NOT NULL);
CREATE TABLE objects (
    id INTEGER PRIMARY KEY, bucket TEXT NOT NULL, name TEXT NOT NULL, properties TEXT NOT NULL, content BLOB
);
CREATE TABLE mails (number INTEGER PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE schedules (rule TEXT PRIMARY KEY, called_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
"""


class DataError(Exception):
    """The store cannot be used; the text says why and what to do."""


class DiskFailed(Exception):
    """A change could not be written: the disk is full or broken."""


class Statement(NamedTuple):
    """A statement that changes the file; `then` is called once it is synced."""

    text: str
    parameters: Sequence[Any] = ()
    then: Callable[[], None] | None = None


type MakeChanges = Callable[[], Iterable[Statement]]
"""Returns the changes of a unit, called when its request has changed all it will."""


class Disk:
    """The store of one running stack; no second stack can open it meanwhile.

    Args:
        folder: Where its files are; made if it does not exist.
        on_failure: Takes a line when the disk fails, and another one when it works again.

    Raises:
        DataError: Another stack uses the folder, or its file is damaged or of a later release.
    """

    def __init__(self, folder: Path, *, on_failure: Callable[[str], None]) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = folder / FILE
        with ExitStack() as ending:
            ending.enter_context(locked(folder))
            self._writer = open_file(self.path)
            ending.callback(self._writer.close)
            self._reader = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            ending.callback(self._reader.close)
            self._ending = ending.pop_all()
        self._on_failure = on_failure
        self._reading = threading.Lock()
        self._changing = threading.RLock()
        self._unit: list[MakeChanges] | None = None
        self._state = threading.Condition()
        self._waiting: list[Statement] = []
        self._recorded = self._synced = 0
        self._error: sqlite3.Error | None = None
        self._closing = False
        self.was_empty = not self.read("SELECT 1 FROM objects UNION ALL SELECT 1 FROM items LIMIT 1")
        self._thread = threading.Thread(target=self._run, name="disk", daemon=True)
        self._thread.start()

    @property
    def has_failed(self) -> bool:
        """Return whether the last try to write failed."""
        return self._error is not None

    @contextmanager
    def unit(self) -> Iterator[None]:
        """Make what is recorded in this context one unit; one thread at a time."""
        with self._changing:
            if self._unit is not None:  # part of a larger unit
                yield
                return
            self._unit = []
            try:
                yield
            finally:
                makers, self._unit = self._unit, None
                self._enqueue([change for make in makers for change in make()])

    def record(self, changes: MakeChanges) -> None:
        """Add changes to the unit of this thread, or make them a unit of their own."""
        with self.unit():
            if self._unit is not None:
                self._unit.append(changes)

    def write(self, statement: str, *parameters: Any) -> None:
        """Record one statement."""
        self.record(lambda: [Statement(statement, parameters)])

    def wait(self) -> None:
        """Wait until all that has been recorded is synced. Raises DiskFailed."""
        with self._state:
            goal = self._recorded
            self._state.wait_for(lambda: self._synced >= goal or self._error or self._closing)
            if self._synced < goal:
                raise DiskFailed(str(self._error or "the stack is stopping"))

    def read(self, query: str, *parameters: Any) -> list[Any]:
        """Return the rows of a query, as far as changes are synced. Raises DataError."""
        with self._reading, _translated(self.path):
            return self._reader.execute(query, parameters).fetchall()

    def scan(self, query: str) -> Iterator[Any]:
        """Yield the rows of a query, while nothing else reads. Raises DataError."""
        with self._reading, _translated(self.path):
            yield from self._reader.execute(query)

    def close(self) -> None:
        """Write what is left, and close the file."""
        with self._state:
            self._closing = True
            self._state.notify_all()
        self._thread.join()
        with contextlib.suppress(sqlite3.Error):  # a disk that is full: the log of SQLite keeps all that was synced
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._ending.close()

    def _enqueue(self, changes: Sequence[Statement]) -> None:
        if changes:
            with self._state:
                self._waiting += changes
                self._recorded += len(changes)
                self._state.notify_all()

    def _run(self) -> None:
        while True:
            with self._state:
                self._state.wait_for(lambda: self._waiting or self._closing)
                batch = list(self._waiting)
            if batch:
                self._try(batch)
            with self._state:
                if self._closing and (self._error or not self._waiting):
                    return
                if self._error:
                    self._state.wait_for(lambda: self._closing, timeout=RETRY_SECONDS)

    def _try(self, batch: Sequence[Statement]) -> None:
        """Write what waits as one transaction, so that requests share a sync."""
        try:
            _write(self._writer, batch)
        except sqlite3.Error as error:
            if not self._error:
                self._on_failure(f"cannot write {self.path}: {error}; nothing is accepted until this is fixed")
            failure: sqlite3.Error | None = error
        else:
            if self._error:
                self._on_failure(f"{self.path} can be written again")
            failure = None
            for change in batch:
                if change.then is not None:
                    change.then()
        with self._state:
            self._error = failure
            if failure is None:
                del self._waiting[: len(batch)]
                self._synced += len(batch)
            self._state.notify_all()


def open_file(path: Path) -> sqlite3.Connection:
    """Open a store, and make it if it does not exist. Raises DataError."""
    with ExitStack() as ending, _translated(path):
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        ending.callback(connection.close)
        os.chmod(path, 0o600)  # noqa: PTH101  # hashes of tokens, addresses, ground truth: its owner's alone
        check_form(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a commit returns when it would survive a loss of power
        connection.execute("PRAGMA fullfsync = ON")  # of macOS, whose fsync alone does not reach the disk
        connection.execute("PRAGMA journal_size_limit = 67108864")
        if not connection.execute("PRAGMA user_version").fetchone()[0]:
            connection.executescript(
                f"BEGIN; {_TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA}; COMMIT;"
            )
            sync(path.parent)
        ending.pop_all()
    return connection


def check_form(connection: sqlite3.Connection, path: Path, *, may_be_empty: bool = True) -> None:
    """Raise DataError unless this release can read a file, or it is empty."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    number = connection.execute("PRAGMA user_version").fetchone()[0]
    is_new = connection.execute("PRAGMA schema_version").fetchone()[0] == 0
    if application != APPLICATION and not (is_new and may_be_empty):
        raise DataError(f"{path} is not a store of Laurel")
    if number > SCHEMA:
        raise DataError(f"{path} has schema {number}; this release reads schemas up to {SCHEMA}: use a later release")


def _write(connection: sqlite3.Connection, batch: Iterable[Statement]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for change in batch:
            connection.execute(change.text, change.parameters)
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def erase(folder: Path) -> None:
    """Delete the store in a folder. Raises DataError if a stack uses it."""
    if folder.exists():
        with locked(folder):
            for suffix in ("-wal", "-shm", ""):
                (folder / f"{FILE}{suffix}").unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder. Raises DataError.

    The kernel releases the lock however the process ends.
    """
    descriptor = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = f"a running stack uses {folder}; stop it, or choose another folder with --data DIR"
            raise DataError(text) from None
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Translate errors of SQLite."""
    try:
        yield
    except sqlite3.OperationalError as error:  # no space, no rights, no folder
        raise DataError(f"{path} cannot be opened: {error}") from error
    except sqlite3.Error as error:
        raise DataError(f"{path} is damaged ({error}); `laurel restore FILE --replace` restores a backup") from error


def sync(path: Path) -> None:
    """Write a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
