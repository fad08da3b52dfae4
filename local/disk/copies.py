"""Backups of a store: a copy of a running stack's, as of one moment, and the way back."""

import argparse
import contextlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from local.disk.store import FILE, DataError, check_form, locked, sync


class Contents(NamedTuple):
    """What a store holds, for a person to compare."""

    results: int
    items: int
    mails: int

    def __str__(self) -> str:
        return f"{self.results} results, {self.items} items of tables, {self.mails} mails"


def back_up(folder: Path, file: Path) -> Contents:
    """Copy a store, whether its stack runs or not, or leave no copy.

    Args:
        folder: Where the store is.
        file: The copy, which must not exist.

    Raises:
        DataError: There is no store, the copy exists, or cannot be written.
    """
    if not (folder / FILE).is_file():
        raise DataError(f"nothing is kept in {folder}; name the folder of the stack with --data DIR")
    if file.exists():
        raise DataError(f"{file} exists already; choose another name")
    with _draft_of(file) as draft:
        with _reading(folder / FILE) as store:
            check_form(store, folder / FILE)
            store.execute("VACUUM INTO ?", (str(draft),))
        return check_copy(draft)


def restore(file: Path, folder: Path, *, replace: bool = False) -> Contents:
    """Put a backup where a stack finds it, after checking every page of it.

    Args:
        file: The backup.
        folder: Where the store will be.
        replace: A store that is there is kept beside it as `laurel.sqlite.replaced`; otherwise it is an error.

    Raises:
        DataError: The file is no backup, is damaged or of a later release; a stack uses the folder; or it has a store.
    """
    if not file.is_file():
        raise DataError(f"{file} does not exist")
    contents, target = check_copy(file), folder / FILE
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(folder):
        if target.exists() and not replace:
            raise DataError(f"{target} exists; --replace puts it aside, --data DIR restores into another folder")
        with _draft_of(target) as draft:
            shutil.copyfile(file, draft)
            if target.exists():
                _put_aside(target)
    return contents


def check_copy(path: Path) -> Contents:
    """Return what a copy holds. Raises DataError if it is no store, or damaged."""
    with _reading(path) as copy:
        check_form(copy, path, may_be_empty=False)
        (faults,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if faults != "ok":
            raise DataError(f"{path} is damaged: {faults}")
        counts = (
            copy.execute(query).fetchone()[0]
            for query in (
                "SELECT count(*) FROM objects WHERE name LIKE 'results/%' AND content IS NOT NULL",
                "SELECT count(*) FROM items",
                "SELECT count(*) FROM mails",
            )
        )
        return Contents(*counts)


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    # Not read-only: a store without a running stack may have a log that SQLite has to read in first.
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise DataError(f"{path}: {error}") from error


@contextmanager
def _draft_of(file: Path) -> Iterator[Path]:
    """Yield a name to write to, which becomes the file at the end, or is gone."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
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


def _put_aside(target: Path) -> None:
    """Rename a store, with its log if the store is too damaged to read it in."""
    with contextlib.suppress(DataError), _reading(target) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in ("-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            target.with_name(f"{FILE}{suffix}").replace(target.with_name(f"{FILE}.replaced{suffix}"))


def main() -> int:
    """Back up or restore; return the exit code."""
    parser = argparse.ArgumentParser(prog="laurel", description="Back up and restore what the local stack keeps.")
    parser.add_argument("command", choices=("backup", "restore"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--replace", action="store_true")
    arguments = parser.parse_args()
    try:
        if arguments.command == "backup":
            contents = back_up(arguments.data, arguments.file)
            size = arguments.file.stat().st_size / 1_000_000
            sys.stdout.write(f"backed up {arguments.data} to {arguments.file} ({size:.1f} MB): {contents}\n")
        else:
            contents = restore(arguments.file, arguments.data, replace=arguments.replace)
            sys.stdout.write(f"restored {arguments.file} to {arguments.data}: {contents}\n")
    except DataError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
