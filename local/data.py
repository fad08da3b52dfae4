"""The folder in which one stack keeps everything: its file, who may open it, copies of it and the way back."""

import contextlib
import fcntl
import itertools
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from engine.store import Store, StoreFailed, StoreRefused, has_form, only_reading, sync

FILE: Final = "laurel.db"
ERASE: Final = "erase "
"""Before the id of a player in the name of a note: the next start erases the player, as of the time in its text."""
_ERASED_SINCE: Final = """
INSERT OR IGNORE INTO copy.objects (bucket, key, current, etag, size, at, info, body)
    SELECT bucket, key, current, etag, size, at, info, body FROM main.objects
    WHERE key LIKE 'audit/%' AND current AND CAST(body AS TEXT) ->> '$.action' = 'erase';
INSERT OR IGNORE INTO copy.notes SELECT name, text FROM main.notes WHERE name LIKE 'erase %';
INSERT OR IGNORE INTO copy.notes SELECT 'erase ' || (item ->> '$.player.S'), item ->> '$.erased_at.S' FROM main.items
    WHERE item LIKE '%"erased_at"%' AND item ->> '$.erased_at.S' IS NOT NULL;
DELETE FROM copy.notes WHERE name IN (
    SELECT 'erase ' || (item ->> '$.player.S') FROM copy.items
    WHERE item LIKE '%"erased_at"%' AND item ->> '$.erased_at.S' IS NOT NULL
)
"""
_DRAFT: Final = ".laurel-draft."
"""What comes between the name of a draft's file and the number of its process."""
_LOCK: Final = "lock"
_PARTS: Final = ("", "-wal", "-shm")
"""The suffixes of SQLite's files."""


class DataError(Exception):
    """The store cannot be used; the text says why and what to do."""


class Contents(NamedTuple):
    """What a store holds, for a person to compare."""

    results: int
    items: int
    mails: int

    def __str__(self) -> str:
        return f"{self.results} results, {self.items} items of tables, {self.mails} mails"


@contextmanager
def opened(folder: Path, *, durable: bool = True) -> Iterator[Store]:
    """Open the store of a folder, which no second stack opens meanwhile.

    Args:
        folder: Where its file is; made if it does not exist.
        durable: Whether a commit of this process waits until the disk has it.

    Raises:
        DataError: Another stack uses the folder, its file is damaged or of another form, or it is missing beside what
            says that there was one.
    """
    path = folder / FILE
    with locked(folder):
        _delete_dead_drafts(folder)
        _check_none_is_missing(path)
        with translated(path), ExitStack() as ending:
            store = Store(path, durable=durable)
            ending.callback(store.close)
            yield store


def erase(folder: Path) -> None:
    """Delete the store in a folder. Raises DataError if a stack uses it."""
    if folder.exists():
        with locked(folder):
            for suffix in _PARTS:
                (folder / f"{FILE}{suffix}").unlink(missing_ok=True)
            (folder / FILE).touch(0o600)  # what says that there was a store may be there still


def back_up(folder: Path, file: Path) -> Contents:
    """Copy a store as it is at one moment, or leave no copy.

    Args:
        folder: Where the store is; its stack may run.
        file: The copy, which must not exist.

    Raises:
        DataError: There is no store, the copy exists, or cannot be written.
    """
    path = folder / FILE
    if not path.is_file():
        raise DataError(f"nothing is kept in {folder}; name the folder of the stack with --data DIR")
    if file.exists():
        raise DataError(f"{file} exists already; choose another name")
    if (file.parent / _LOCK).exists():  # where a name may be one of SQLite's own, or of a store that was put aside
        raise DataError(f"{file.parent} is the folder of a stack; choose another one for its copy")
    with _draft_of(file) as draft:
        return _copy(path, draft, is_idle=False)


def restore(file: Path, folder: Path, *, replace: bool = False) -> tuple[Contents, list[str]]:
    """Put a checked copy of a backup where a stack finds it; return what is to say.

    Args:
        file: The backup, which is only read.
        folder: Where the store will be.
        replace: A store that is there is kept beside it, as `laurel.db.replaced`; otherwise it is an error.

    Raises:
        DataError: The file is no backup, is damaged or of another release; a stack uses it or the folder; or the folder
            has a store.
    """
    if not file.is_file():
        raise DataError(f"{file} does not exist")
    source, target = file.resolve(), folder / FILE
    with ExitStack() as locks:
        if source.name == FILE and (source.parent / _LOCK).exists() and source != target.resolve():
            locks.enter_context(locked(source.parent, otherwise="copy it with `laurel backup`"))
        locks.enter_context(locked(folder))
        if target.exists() and not replace:
            raise DataError(f"{target} exists; --replace puts it aside, --data DIR restores into another folder")
        with _draft_of(target) as draft:
            contents, notes = _copy(source, draft, is_idle=True), _keep_erasures(folder, draft)
            if target.exists():
                _put_aside(target)
            return contents, notes


def _keep_erasures(folder: Path, draft: Path) -> list[str]:
    """Note in a copy who was erased since, by the stores in a folder and their trails.

    Returns sentences for a person: who that is, and what could not be read.
    """
    notes = []
    for store in sorted(folder.glob(f"{FILE}*")):
        if store.name.endswith((".lock", "-shm", "-wal")) or store.stat().st_size == 0:
            continue
        try:
            with only_reading(store, is_idle=True) as connection:
                connection.execute("ATTACH ? AS copy", (f"{draft.resolve().as_uri()}?mode=rw",))
                with connection:
                    for statement in _ERASED_SINCE.split(";"):
                        connection.execute(statement)
        except sqlite3.Error:
            notes.append(f"{store.name} cannot be read; who was erased since may be there again")
    with only_reading(draft, is_idle=True) as copy:
        names = copy.execute("SELECT name FROM notes WHERE name LIKE 'erase %' ORDER BY name").fetchall()
    erased = ", ".join(name.removeprefix(ERASE) for (name,) in names)
    return [*notes, f"erased since this backup: {erased}; the next start erases them again"] if erased else notes


def _copy(source: Path, draft: Path, *, is_idle: bool) -> Contents:
    """Copy a store as it is at one moment, and return what the copy holds.

    Raises DataError if a page of it is damaged.
    """
    _check_log_is_beside(source)
    with translated(source):
        with only_reading(source, is_idle=is_idle) as connection, contextlib.closing(sqlite3.connect(draft)) as target:
            if not has_form(connection, source):
                raise StoreRefused(f"{source} is not a store of Laurel")
            connection.backup(target)
        with only_reading(draft, is_idle=True) as copy:
            ((faults,),) = copy.execute("PRAGMA integrity_check(1)")
            if faults != "ok":
                raise sqlite3.DatabaseError(faults)
            return count_contents(copy)


def count_contents(connection: sqlite3.Connection) -> Contents:
    """Return what a store holds."""
    results, items, mails = (
        connection.execute(query).fetchone()[0]
        for query in (
            "SELECT count(*) FROM objects WHERE key LIKE 'results/%' AND current AND size IS NOT NULL",
            "SELECT count(*) FROM items",
            "SELECT count(*) FROM mails",
        )
    )
    return Contents(results, items, mails)


@contextmanager
def locked(folder: Path, *, otherwise: str = "choose another folder with --data DIR") -> Iterator[None]:
    """Keep other stacks out of a folder, which is made if need be. Raises DataError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DataError(f"{folder} cannot be used as a folder of a stack: {error}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(f"a running stack uses {folder}; stop it, or {otherwise}") from None
        _check_log_is_beside(folder / FILE)
        yield
    finally:
        os.close(descriptor)  # the kernel releases the lock however the process ends


def _check_log_is_beside(path: Path) -> None:
    """Check that nobody uses a file by another name. Raises DataError."""
    if not path.exists() or path.stat().st_nlink == 1 or path.with_name(f"{path.name}-wal").exists():
        return
    with contextlib.suppress(OSError), path.open("rb+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(f"a running stack uses {path} by another name; copy it with `laurel backup`") from None


def _check_none_is_missing(path: Path) -> None:
    """Check that no store begins where another one was. Raises DataError."""
    former = sorted(
        each.name
        for each in path.parent.glob(f"{FILE}?*")
        if not each.name.endswith((".lock", "-shm")) and each.stat().st_size > 0
    )
    if former and not path.exists():
        raise DataError(
            f"{path} is missing, but {', '.join(former)} is there, as after a `laurel restore` that did not end; "
            "restore again, or rename the one to start with; --fresh begins without"
        )


@contextmanager
def _draft_of(file: Path) -> Iterator[Path]:
    """Yield a name to write to, which becomes the file at the end, or is gone."""
    draft = file.with_name(f".{file.name}{_DRAFT}{os.getpid()}")
    try:
        _delete_dead_drafts(file.parent)
        # While it is written, too, it is its owner's alone.
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield draft
        sync(draft)
        draft.replace(file)
        sync(file.parent)
    except OSError as error:
        raise DataError(f"{file}: {error}") from error
    finally:
        draft.unlink(missing_ok=True)


def _delete_dead_drafts(folder: Path) -> None:
    """Delete what a backup or restore that was killed wrote: it may be a whole store."""
    for draft in folder.glob(f".*{_DRAFT}*"):
        process = draft.name.rpartition(_DRAFT)[2].partition("-")[0]
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            draft.unlink(missing_ok=True)
        except (ValueError, OverflowError, PermissionError):  # no draft, or another user's
            continue


def _put_aside(target: Path) -> None:
    """Rename a store.

    Its log goes along, if the store is too damaged to read it in. The file comes first: should the rest not follow, a
    start finds none, and says so.
    """
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(target)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    names = (f"{FILE}.replaced{number or ''}" for number in itertools.count())
    aside = next(path for path in map(target.with_name, names) if not path.exists())
    for suffix in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            target.with_name(f"{FILE}{suffix}").replace(target.with_name(f"{aside.name}{suffix}"))


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate errors of opening, reading and writing a store. Raises DataError."""
    try:
        yield
    except StoreFailed as error:
        raise DataError(f"{path} cannot be used: {error}") from error
    except StoreRefused as error:
        raise DataError(f"{error}; `laurel restore FILE --replace` restores a backup") from error
    except sqlite3.OperationalError as error:  # no space, no rights, no folder
        raise DataError(f"{path} cannot be opened: {error}") from error
    except sqlite3.Error as error:
        raise DataError(f"{path} is damaged ({error}); `laurel restore FILE --replace` restores a backup") from error


def main(command: str, file: str, data: str) -> int:
    """Back up, restore, or replace what is kept by a backup; return the exit code."""
    try:
        if command == "backup":
            contents = back_up(Path(data), Path(file))
            size = Path(file).stat().st_size / 1_000_000
            sys.stdout.write(f"backed up {data} to {file} ({size:.1f} MB): {contents}\n")
        else:
            contents, notes = restore(Path(file), Path(data), replace=command == "replace")
            sys.stdout.write(f"restored {file} to {data}: {contents}\n")
            sys.stderr.writelines(f"note: {note}\n" for note in notes)
    except DataError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
