"""Reads an untrusted ZIP of results; an error in one entry is reported for that entry alone."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO
from zipfile import ZipInfo

from scoring_core.errors import ZipError
from scoring_core.io.limits import MAX_BATCH_BYTES, MAX_BATCH_ENTRIES, MAX_RATIO
from scoring_core.io.safe_zip import ZipReader, check_path, is_hidden, is_packed_too_small
from submit.batch_import.entries import (
    MAX_NAME_LENGTH,
    Entry,
    EntryError,
    InvalidEntry,
    Rules,
    UnreadableBatch,
    check_ending,
    find_part,
    read_file,
    read_label,
    show_name,
    too_large_message,
)


def read_archive(file: BinaryIO, rules: Rules) -> Iterator[Entry | EntryError]:
    """Read a ZIP of files, one result each, in the order in which it stores them.

    Folders and hidden files are skipped. If entries name a part, it is the name of the file's folder, else of the file:
    `level-1/anything.json`, `level-1.json`. Raises UnreadableBatch if it is no ZIP, or holds nothing or too much.
    Raised before the first entry, never later.
    """
    try:
        # The reader counts folders and system files, too; `_check_amount` counts results alone.
        entries = 10 * MAX_BATCH_ENTRIES
        archive = ZipReader(file, max_bytes=MAX_BATCH_BYTES, max_entries=entries, reads_windows=True)
    except ZipError as error:
        raise UnreadableBatch(f"expected a ZIP: {error}") from error
    results = sorted(filter(_is_result, archive.entries), key=lambda info: info.header_offset)
    _check_amount(results, rules)
    names: set[str] = set()
    for info in results:
        yield _read_entry(archive, info, names, rules)


def _is_result(info: ZipInfo) -> bool:
    return not info.is_dir() and not is_hidden(info.filename)


def _check_amount(results: Sequence[ZipInfo], rules: Rules) -> None:
    if not results:
        raise UnreadableBatch("expected a ZIP with results, found folders and hidden files at most")
    if len(results) > MAX_BATCH_ENTRIES:
        raise UnreadableBatch(f"expected at most {MAX_BATCH_ENTRIES} entries, found {len(results)}")
    unpacked = sum(info.file_size for info in results if info.file_size <= rules.max_bytes)
    if unpacked > MAX_BATCH_BYTES:
        raise UnreadableBatch(f"expected at most {MAX_BATCH_BYTES} bytes unpacked, found {unpacked}")


def _read_entry(archive: ZipReader, info: ZipInfo, names: set[str], rules: Rules) -> Entry | EntryError:
    name = show_name(info.orig_filename)
    try:
        _check_entry(info, names, rules)
        # Before it is unpacked: what its path rejects need not be.
        read_label(info.filename, rules, part=find_part(info.filename, rules))
        content = archive.read(info)
    except InvalidEntry as error:
        return EntryError(name, str(error))
    except ZipError as error:
        return EntryError(name, show_name(str(error)))
    return read_file(info.filename, content, rules)


def _check_entry(info: ZipInfo, names: set[str], rules: Rules) -> None:
    path = info.orig_filename
    # The shown name must be unique: the submission id is derived from it.
    if not path.isprintable() or len(path) > MAX_NAME_LENGTH:
        raise InvalidEntry(f"expected a path of at most {MAX_NAME_LENGTH} printable characters")
    check_path(info)
    if path in names:
        raise InvalidEntry("expected each name once, found this one twice")
    names.add(path)
    check_ending(path, rules)
    if info.file_size > rules.max_bytes:
        raise InvalidEntry(too_large_message(rules))
    if is_packed_too_small(info):
        raise InvalidEntry(f"expected at most {MAX_RATIO} times its packed size")
